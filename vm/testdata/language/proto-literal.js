const p = { hi() { return 'hi ' + this.n; } };
const o = { __proto__: p, n: 1, hi() { return super.hi() + '!'; } };
return [o.hi(), Object.getPrototypeOf(o) === p, Object.keys(o)];
// => ["hi 1!",true,["n","hi"]]
