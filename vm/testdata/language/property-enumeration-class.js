class A { constructor() { this.own = 1; } m() {} }
const out = [];
for (const k in new A()) out.push(k);
return out;
// => ["own"]
