const a = [1, 2, 3, 4];
const seen = [];
a.forEach((x) => { seen.push(x); if (x === 1) a.shift(); });
return seen;
// => [1,3,4]
