return [(1, 2, 3), void 0 ?? 'undef'];
// => [3,"undef"]
