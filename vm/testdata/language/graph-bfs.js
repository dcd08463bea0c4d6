const g = { a: ['b', 'c'], b: ['d'], c: ['d'], d: [] };
const seen = new Set(['a']), q = ['a'];
while (q.length) for (const n of g[q.shift()]) if (!seen.has(n)) { seen.add(n); q.push(n); }
return [...seen];
// => ["a","b","c","d"]
