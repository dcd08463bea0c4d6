async function* g() { yield 1; yield Promise.resolve(2); return 3; }
const out = [];
for await (const v of g()) out.push(v);
return out;
// => [1,2]
