return [[1, 2, 3, 4, 5].copyWithin(0, 3), [1, 2, 3].fill(9, 1, 2), new Array(2).fill().map((_, i) => i)];
// => [[4,5,3,4,5],[1,9,3],[0,1]]
