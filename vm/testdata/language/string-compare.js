return ['a'.localeCompare('b'), 'b'.localeCompare('a'), 'a'.localeCompare('a'), ['é', 'z', 'a'].sort()];
// => [-1,1,0,["a","z","é"]]
