const make = () => { let n = 0; return { inc: () => ++n, get n() { return n; } }; };
const a = make(), b = make();
a.inc(); a.inc(); b.inc();
return [a.n, b.n];
// => [2,1]
