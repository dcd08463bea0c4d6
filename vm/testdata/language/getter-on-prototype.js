class T { get double() { return this.n * 2; } constructor(n) { this.n = n; } }
return [new T(2).double, Object.keys(new T(2)), JSON.stringify(new T(3))];
// => [4,["n"],"{\"n\":3}"]
