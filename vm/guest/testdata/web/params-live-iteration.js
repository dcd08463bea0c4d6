const q = new URLSearchParams('a=1&b=2&c=3');
const seen = [];
for (const [k] of q) { seen.push(k); if (k === 'a') q.delete('b'); if (k === 'c' && !q.has('d')) q.append('d', '4'); }
return seen;
