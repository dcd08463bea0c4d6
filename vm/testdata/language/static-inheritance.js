class A { static x = 1; static f() { return this.x; } } class B extends A { static x = 2; }
return [A.f(), B.f()];
// => [1,2]
