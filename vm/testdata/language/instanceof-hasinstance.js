class Even { static [Symbol.hasInstance](n) { return n % 2 === 0; } }
return [2 instanceof Even, 3 instanceof Even];
// => [true,false]
