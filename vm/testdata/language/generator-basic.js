function* g() { const x = yield 1; yield x * 2; return 'end'; }
const it = g();
return [it.next(), it.next(21), it.next(), it.next()];
// => [{"value":1,"done":false},{"value":42,"done":false},{"value":"end","done":true},{"done":true}]
