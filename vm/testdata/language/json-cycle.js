const a = {}; a.a = a;
try { JSON.stringify(a); } catch (e) { return e instanceof TypeError; }
// => true
