const zip = (...a) => a[0].map((_, i) => a.map((x) => x[i]));
const chunk = (a, n) => a.length ? [a.slice(0, n), ...chunk(a.slice(n), n)] : [];
return [zip([1, 2], ['a', 'b']), chunk([1, 2, 3, 4, 5], 2)];
// => [[[1,"a"],[2,"b"]],[[1,2],[3,4],[5]]]
