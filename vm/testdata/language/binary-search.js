const bs = (a, x) => { let l = 0, h = a.length - 1; while (l <= h) { const m = (l + h) >> 1; if (a[m] === x) return m; a[m] < x ? l = m + 1 : h = m - 1; } return -1; };
return [bs([1, 3, 5, 7, 9], 7), bs([1, 3], 2)];
// => [3,-1]
