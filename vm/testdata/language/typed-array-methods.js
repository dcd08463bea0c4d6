const a = new Int32Array([3, 1, 2]);
return [a.toSorted(), a.with(0, 9), a.map((x) => x * 2), a.sort(), [...a.entries()], a.findLast((x) => x < 3), a.join('-'), a.indexOf(2), Array.from(a)];
// => [[1,2,3],[9,1,2],[6,2,4],[1,2,3],[[0,1],[1,2],[2,3]],2,"1-2-3",1,[1,2,3]]
