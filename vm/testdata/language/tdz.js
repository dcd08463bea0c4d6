try { x; let x = 1; } catch (e) { return e.name; }
// => "ReferenceError"
