const a = [3, 1, 2];
return [a.toSorted(), a.toReversed(), a.toSpliced(1, 1, 9, 8), a.with(0, 7), a];
// => [[1,2,3],[2,1,3],[3,9,8,2],[7,1,2],[3,1,2]]
