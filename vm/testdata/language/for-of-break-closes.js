let closed = false;
function* g() { try { yield 1; yield 2; } finally { closed = true; } }
for (const x of g()) break;
return closed;
// => true
