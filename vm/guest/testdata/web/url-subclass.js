class X extends URL { get both() { return this.host + this.pathname; } }
const x = new X('http://h:1/p');
return [x.both, x instanceof URL, x instanceof X, x.href];
