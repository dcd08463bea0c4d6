class B { n = 3; f = () => this.n; }
const { f } = new B();
return f();
// => 3
