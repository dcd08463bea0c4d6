const a = [1, 2, 3];
a[Symbol.iterator] = function* () { yield 'over'; };
return [[...a], a.length];
// => [["over"],3]
