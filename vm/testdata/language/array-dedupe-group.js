const rows = [{ t: 'a', n: 1 }, { t: 'b', n: 2 }, { t: 'a', n: 3 }];
return [[...new Set(rows.map((r) => r.t))], rows.reduce((m, r) => ({ ...m, [r.t]: (m[r.t] ?? 0) + r.n }), {})];
// => [["a","b"],{"a":4,"b":2}]
