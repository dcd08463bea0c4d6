const custom = { [Symbol.replace]: (s, r) => `${s}:${r}`, [Symbol.split]: (s) => [s, 'split'] };
return ['abc'.replace(custom, 'x'), 'abc'.split(custom)];
// => ["abc:x",["abc","split"]]
