return [[10, 9, 1].sort(), [10, 9, 1].sort((a, b) => a - b), ['b', 'a', 'C'].sort(), [3, undefined, 1].sort(), [{ k: 1, v: 'a' }, { k: 0, v: 'b' }, { k: 1, v: 'c' }].sort((a, b) => a.k - b.k).map((x) => x.v)];
// => [[1,10,9],[1,9,10],["C","a","b"],[1,3,null],["b","a","c"]]
