const r = /o/g;
return [r.test('foo'), r.lastIndex, r.test('foo'), r.lastIndex, r.test('foo'), r.lastIndex];
// => [true,2,true,3,false,0]
