const p = new Proxy(Object.freeze({ a: 1 }), { get: () => 2 });
try { p.a; } catch (e) { return e.name; }
// => "TypeError"
