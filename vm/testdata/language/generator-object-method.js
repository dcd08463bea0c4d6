const o = { *[Symbol.iterator]() { yield* ['a', 'b']; } };
return [...o];
// => ["a","b"]
