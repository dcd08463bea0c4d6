const f = new Proxy((a) => a, { apply: (t, th, args) => t(...args) * 2 });
return f(4);
// => 8
