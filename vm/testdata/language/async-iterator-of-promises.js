const out = [];
for await (const v of [Promise.resolve('a'), 'b']) out.push(v);
return out;
// => ["a","b"]
