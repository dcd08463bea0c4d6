class A { constructor(n) { this.n = n; } who() { return 'A' + this.n; } static make(n) { return new this(n); } }
class B extends A { who() { return 'B>' + super.who(); } }
return [B.make(2).who(), B.make(1) instanceof A, Object.getPrototypeOf(B) === A];
// => ["B>A2",true,true]
