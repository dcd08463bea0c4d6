const m = new Map([[1, 'a'], [2, 'b']]);
const seen = [];
for (const [k] of m) { seen.push(k); if (k === 1) { m.delete(1); m.set(1, 'again'); } if (seen.length > 5) break; }
return seen;
// => [1,2,1,1,1,1]
