return ['  pad '.trim(), 'abc'.padStart(5, '*'), 'abc'.padEnd(5, '12'), 'a-b-c'.split('-', 2), 'aXbX'.replaceAll('X', '.'), 'abc'.at(-1), 'abc'.includes('bc'), 'abc'.startsWith('b', 1), 'abc'.endsWith('b', 2), 'ab'.repeat(2), 'abc'.slice(-2), 'abc'.substring(2, 0), 'abcdef'.substr(-3, 2)];
// => ["pad","**abc","abc12",["a","b"],"a.b.","c",true,true,true,"abab","bc","ab","de"]
