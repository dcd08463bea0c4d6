function* nat() { let n = 0; while (true) yield n++; }
function* take(it, n) { for (const v of it) { if (n-- <= 0) return; yield v; } }
function* map(it, f) { for (const v of it) yield f(v); }
return [...take(map(nat(), (x) => x * x), 5)];
// => [0,1,4,9,16]
