const a = [1, 2, 3, 4, 5];
const cut = a.splice(1, 2, 'x', 'y', 'z');
return [a, cut, a.splice(-1), a.splice(1), a];
// => [[1],[2,3],[5],["x","y","z",4],[1]]
