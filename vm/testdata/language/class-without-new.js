class A {}
try { A(); } catch (e) { return e.name; }
// => "TypeError"
