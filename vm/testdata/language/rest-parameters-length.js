return [((a, ...b) => 0).length, ((a, b = 1, c) => 0).length];
// => [1,1]
