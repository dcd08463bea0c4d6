class A { get v() { return 1; } } class B extends A { get v() { return super.v + 1; } }
return new B().v;
// => 2
