const { a, b: { c = 3, ...more }, ...rest } = { a: 1, b: { d: 4, e: 5 }, f: 6 };
return [a, c, more, rest];
// => [1,3,{"d":4,"e":5},{"f":6}]
