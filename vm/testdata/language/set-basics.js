const s = new Set([1, '1', 1, NaN, NaN, 0, -0]);
return [s.size, [...s], s.has(-0)];
// => [4,[1,"1",null,0],true]
