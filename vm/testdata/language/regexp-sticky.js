const r = /\d/y; r.lastIndex = 1;
return [r.test('a1'), r.lastIndex, r.test('a1')];
// => [true,2,false]
