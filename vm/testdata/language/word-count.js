const words = 'the cat and the hat and the bat'.split(' ');
const n = {};
for (const w of words) n[w] = (n[w] ?? 0) + 1;
return Object.entries(n).sort(([a, x], [b, y]) => y - x || a.localeCompare(b));
// => [["the",3],["and",2],["bat",1],["cat",1],["hat",1]]
