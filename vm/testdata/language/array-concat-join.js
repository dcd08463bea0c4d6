return [[1].concat(2, [3, [4]]), [null, undefined, 1, [2, 3]].join(), [].concat([[]]).length];
// => [[1,2,3,[4]],",,1,2,3",1]
