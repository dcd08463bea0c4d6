return [0 ?? 1, null ?? 2, undefined ?? 3, '' ?? 4, (null || undefined) ?? 'x'];
// => [0,2,3,"","x"]
