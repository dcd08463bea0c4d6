class T { static #n = 0; static get n() { return T.#n; } static set n(v) { T.#n = v * 2; } }
T.n = 4;
return T.n;
// => 8
