class M extends Array { static get [Symbol.species]() { return Array; } }
return new M(1, 2, 3).filter((x) => x > 1) instanceof M;
// => false
