const out = [];
for (const [k, { v }] of Object.entries({ a: { v: 1 }, b: { v: 2 } })) out.push(k + v);
return out;
// => ["a1","b2"]
