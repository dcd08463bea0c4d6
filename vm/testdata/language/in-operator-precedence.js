return ['a' in { a: 1 } && !('b' in {}), typeof typeof 1, !!'' + 1, -(2 ** 2), 1 < 2 < 3, 3 > 2 > 1];
// => [true,"string",1,-4,true,false]
