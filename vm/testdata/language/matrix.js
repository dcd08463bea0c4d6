const a = [[1, 2], [3, 4]];
const mul = (x, y) => x.map((r) => y[0].map((_, j) => r.reduce((s, v, k) => s + v * y[k][j], 0)));
return [mul(a, a), a[0].map((_, i) => a.map((r) => r[i]))];
// => [[[7,10],[15,22]],[[1,3],[2,4]]]
