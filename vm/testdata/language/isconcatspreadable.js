return [].concat({ length: 2, 0: 'a', 1: 'b', [Symbol.isConcatSpreadable]: true }, [1]);
// => ["a","b",1]
