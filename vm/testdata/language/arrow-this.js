const o = { n: 1, f() { return [1, 2].map((x) => x + this.n); } };
return o.f();
// => [2,3]
