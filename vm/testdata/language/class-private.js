class C { #x = 1; static has(o) { return #x in o; } #m() { return this.#x; } get v() { return this.#m(); } set v(n) { this.#x = n; } static #s = 's'; static s() { return C.#s; } }
const c = new C(); c.v = 5;
return [c.v, C.has(c), C.has({}), C.s()];
// => [5,true,false,"s"]
