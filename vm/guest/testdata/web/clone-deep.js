let a = { leaf: true };
for (let i = 0; i < 2000; i++) a = i % 2 ? [a] : { a };
let c = structuredClone(a), n = 0;
while (!c.leaf) { c = Array.isArray(c) ? c[0] : c.a; n++; }
return n;
