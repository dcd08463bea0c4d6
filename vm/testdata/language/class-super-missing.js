class A {} class B extends A { constructor() { } }
try { new B(); } catch (e) { return e.name; }
// => "ReferenceError"
