class C { #x = 1; static get(o) { return o.#x; } }
try { C.get({}); } catch (e) { return e instanceof TypeError; }
// => true
