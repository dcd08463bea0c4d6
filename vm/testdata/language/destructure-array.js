const [a, , b = 5, ...rest] = [1, 2, undefined, 4, 5];
return [a, b, rest];
// => [1,5,[4,5]]
