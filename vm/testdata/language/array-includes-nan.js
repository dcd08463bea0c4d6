return [[NaN].includes(NaN), [NaN].indexOf(NaN), [1, 2, 1].lastIndexOf(1), [1, 2].indexOf(2, -1)];
// => [true,-1,2,1]
