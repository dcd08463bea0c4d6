const qs = ([p, ...r]) => p === undefined ? [] : [...qs(r.filter((x) => x < p)), p, ...qs(r.filter((x) => x >= p))];
return qs([3, 6, 1, 8, 2, 9, 2]);
// => [1,2,2,3,6,8,9]
