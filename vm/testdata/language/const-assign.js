const a = 1;
try { a = 2; } catch (e) { return [e.name, a]; }
// => ["TypeError",1]
