function* inner() { const r = yield 'i'; return r + '!'; }
function* outer() { const v = yield* inner(); yield v; yield* [1, 2]; }
const it = outer();
return [it.next().value, it.next('r').value, [...it]];
// => ["i","r!",[1,2]]
