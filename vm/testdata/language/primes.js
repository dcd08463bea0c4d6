const p = [];
outer2: for (let n = 2; p.length < 15; n++) { for (const q of p) if (n % q === 0) continue outer2; p.push(n); }
return p;
// => [2,3,5,7,11,13,17,19,23,29,31,37,41,43,47]
