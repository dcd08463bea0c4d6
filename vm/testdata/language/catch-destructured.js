try { throw { code: 5, more: { a: 1 } }; } catch ({ code, more: { a } }) { return [code, a]; }
// => [5,1]
