Output, values and inputs that are larger than they look. All fails fast and takes no memory.

//// a small graph with a very large text, as value
//: want fails output_limit_exceeded
let x = ['x'];
for (let i = 0; i < 27; i++) x = [x, x];
return x;

//// the same by text()
//: want fails output_limit_exceeded
//: emits [{"type":"text","text":"before"}]
let x = ['x'];
for (let i = 0; i < 27; i++) x = [x, x];
text('before');
text(x);

//// the same by json(), which is not caught
//: want fails output_limit_exceeded
let x = { x: 1 };
for (let i = 0; i < 27; i++) x = { a: x, b: x };
try { json(x); } catch { return 'caught'; } finally { return 'went on'; }

//// the same by console
//: want fails output_limit_exceeded
let x = ['x'];
for (let i = 0; i < 27; i++) x = [x, x];
console.log('a', x);

//// the same as the input of a call
//: input 64K
//: want throws Error: code mode tool input is too large.
//: requests
let x = ['x'];
for (let i = 0; i < 27; i++) x = [x, x];
await tools.echo(x);

//// the same as the input of a namespace call
//: input 64K
//: want throws Error: code mode tool input is too large.
//: requests
let x = ['x'];
for (let i = 0; i < 27; i++) x = [x, x];
await plug.go(1, x);

//// the same as a thrown value
//: want throws [a thrown value that is too large to show]
let x = ['x'];
for (let i = 0; i < 27; i++) x = [x, x];
throw x;

//// the same of Maps
//: want fails output_limit_exceeded
let x = new Map([['k', 1]]);
for (let i = 0; i < 27; i++) x = new Map([['a', x], ['b', x]]);
return x;

//// the same of Maps with objects as keys, and Sets
//: want fails output_limit_exceeded
let x = new Set([1]);
for (let i = 0; i < 27; i++) x = i % 2 ? new Map([[x, x]]) : new Set([x, [x]]);
return x;

//// the same of errors with causes
//: want fails output_limit_exceeded
let x = new Error('x');
for (let i = 0; i < 27; i++) x = Object.assign(new Error('y'), { a: x, b: x });
return x;

//// the same by toJSON
//: want fails output_limit_exceeded
let x = ['x'];
for (let i = 0; i < 27; i++) { const y = x; x = { toJSON: () => [y, y] }; }
return x;

//// the same by a getter
//: want fails output_limit_exceeded
const make = (n) => ({ get a() { return n > 0 ? make(n - 1) : 1; }, get b() { return n > 0 ? make(n - 1) : 1; } });
return make(27);

//// one long string very many times
//: want fails output_limit_exceeded
return Array(1e5).fill('x'.repeat(6e4));

//// one long string as very many fields
//: want fails output_limit_exceeded
const o = {}, s = 'x'.repeat(6e4);
for (let i = 0; i < 1e5; i++) o['k' + i] = s;
return o;

//// very long keys
//: want fails output_limit_exceeded
return { ['k'.repeat(1e7)]: 1 };

//// a string that is longer as JSON
//: budget 20000
//: want fails output_limit_exceeded
return '\u0001'.repeat(5000);

//// an array that says it is endless
//: want fails output_limit_exceeded
return new Proxy([], { get: (t, k) => (k === 'length' ? 2 ** 53 - 1 : undefined) });

//// a length that is no number
//: want value []
return new Proxy([], { get: (t, k) => (k === 'length' ? NaN : undefined) });

//// holes without end
//: want fails output_limit_exceeded
return Array(2 ** 32 - 1);

//// a typed array that is larger than the budget
//: want fails output_limit_exceeded
return new Float64Array(1e6);

//// very many small items
//: want fails output_limit_exceeded
for (;;) text('');

//// very many small items that are caught
//: want fails output_limit_exceeded
for (;;) try { text('x'); } catch { }

//// very many lines of console
//: want fails output_limit_exceeded
for (;;) console.debug();

//// a budget that is used up to the last byte by the value
//: budget 20
//: want value "0123456789012345"
return '0123456789012345';

//// one byte more
//: budget 20
//: want fails output_limit_exceeded
return '01234567890123456';

//// a budget that is used up by nested lists
//: budget 28
//: want value [[1,"a"],[{"b":[],"c":2}]]
return [[1, 'a'], [{ b: [], c: 2 }]];

//// nested lists one byte over
//: budget 27
//: want fails output_limit_exceeded
return [[1, 'a'], [{ b: [], c: 2 }]];

//// characters of three bytes count as three
//: budget 20
//: want fails output_limit_exceeded
return '€€€€€€';

//// item and value that fit together
//: budget 40
//: emits [{"type":"text","text":"abcdef"}]
//: want value 123
text('abcdef');
return 123;

//// item and value that do not fit together
//: budget 33
//: emits [{"type":"text","text":"abcdef"}]
//: want fails output_limit_exceeded
text('abcdef');
return 123;

//// every kind of value in one list
//: want value [1,null,null,0,"x",true,null,null,"12345678901234567890",null,[],{},"\u0000\"\\/é€😀",["[Circular]"],null]
const a = [], round = [];
round.push(round);
return [1, NaN, -Infinity, -0, 'x', true, null, undefined, 12345678901234567890n, () => 1, a, {}, '\u0000"\\/é€😀', round, Symbol('s')];

//// every kind of value as fields
//: want value {"1":"one","2":[1,{"a":1}],"a":1,"b":"x","d":"5","e":{},"f":null,"__proto__":9,"toJSON":3}
return JSON.parse('{"a":1,"b":"x","2":[1,{"a":1}],"1":"one","d":"5","e":{},"f":null,"__proto__":9,"toJSON":3}');

//// fields that are left out among others
//: want value {"a":1,"d":{"e":2},"g":3}
return { a: 1, b: undefined, c: () => 1, d: { e: 2, f: Symbol() }, g: 3 };

//// lone surrogates in values and keys
//: want value ["�","a�b",{"�":"�","x":[1,"�"]},"\\ud800","😀"]
return ['\ud800', 'a\udc00b', { '\udfff': '\ud800', x: [1, '\ud800'] }, '\\ud800', '\ud83d\ude00'];

//// toJSON that appears while the fields are read
//: want value {"a":1}
return { get a() { this.toJSON = () => 'no'; return 1; }, b: undefined };

//// a function as toJSON that comes from a getter the second time
//: want value {"x":1}
let n = 0;
return { get toJSON() { return n++ ? () => 'called' : undefined; }, x: 1 };

//// integer keys of a Map stay where they are
//: want value {"b":1,"2":2,"1":[3],"a":null}
return new Map([['b', 1], ['2', 2], ['1', [3]], ['a', null]]);

//// an own field of an error that is an index
//: want value {"name":"Error","message":"m","0":"zero"}
return Object.assign(new Error('m'), { 0: 'zero' });

//// a getter that changes the array that is read
//: want value [1,2,null,null]
const a = [1, 2, 3, 4];
Object.defineProperty(a, 1, { get() { a.length = 2; return 2; } });
return a;

//// a getter that throws among others
//: want value [1,"[Unserializable: no]",{"a":1,"b":"[Unserializable: 7]","c":2},3]
return Object.defineProperty([1, 2, { a: 1, get b() { throw 7; }, c: 2 }, 3], 1, { get() { throw new Error('no'); } });

//// patched stringify, includes and slice see nothing of it
//: want value [["a",1],{"b":[2]}]
JSON.stringify = String.prototype.includes = String.prototype.slice = Array.prototype.includes = () => 'forged';
return [['a', 1], { b: [2] }];

//// an index setter of Array.prototype that forges the text of a list
//: want value ["a","b"]
const forge = (v) => { if (typeof v === 'object') v.toJSON = () => 'x],"forged":['; };
for (let i = 0; i < 4; i++) Object.defineProperty(Array.prototype, i, { set: forge, configurable: true });
return JSON.parse('["a","b"]');

//// an index setter of Array.prototype that empties what is read
//: want value {"a":{"b":1},"c":"[Unserializable: value was changed while it was read]"}
const forge = (v) => { if (v !== null && typeof v === 'object' && 'x' in v) delete v.x; };
for (let i = 0; i < 4; i++) Object.defineProperty(Array.prototype, i, { set: forge, configurable: true });
return { a: { b: 1 }, c: { x: 1, y: {} } };

//// an index setter of Array.prototype that puts functions and surrogates in
//: want value {"k":["a"],"q":"�","x�":null,"z":[]}
const forge = (v) => { if (v !== null && typeof v === 'object' && 'q' in v) v['x\ud800'] = () => 1; };
for (let i = 0; i < 4; i++) Object.defineProperty(Array.prototype, i, { set: forge, configurable: true });
return { k: JSON.parse('["a"]'), q: '\ud800', z: [] };

//// fields of Object.prototype see nothing of it
//: want value {"a":{"b":1}}
Object.defineProperty(Object.prototype, 'includes', { get() { throw 1; }, configurable: true });
for (const k of ['v', 'up', 'strict', 'limit', 'used', 'failure', 'path'])
  Object.defineProperty(Object.prototype, k, { set() { throw new Error('seen'); }, get() { return undefined; }, configurable: true });
return { a: { b: 1 } };
