const o = { d: new Date(5), m: new Map([[1, { a: 1 }]]), s: new Set([1]), self: null }; o.self = o;
const c = structuredClone(o);
return [c.d.getTime(), c.m.get(1), c.self === c, c !== o, c.s.has(1)];
// => [5,{"a":1},true,true,true]
