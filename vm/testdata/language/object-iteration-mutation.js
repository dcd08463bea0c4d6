const o = { a: 1, b: 2, c: 3 };
const seen = [];
for (const k in o) { seen.push(k); delete o.b; o.d = 4; }
return seen;
// => ["a","c"]
