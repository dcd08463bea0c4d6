const o = { b: 1, 2: 1, a: 1, 1: 1, [Symbol('s')]: 1 };
const out = [];
for (const k in Object.create(o, { z: { value: 1, enumerable: true } })) out.push(k);
return out;
// => ["z","1","2","b","a"]
