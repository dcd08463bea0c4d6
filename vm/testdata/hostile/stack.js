//: memory 32M
Deep recursion of every kind. It is a RangeError that the guest can catch, or a clean failure; never a trap.

//// a function that calls itself
//: want throws RangeError: Maximum call stack size exceeded
const f = () => f();
f();

//// recursion that is caught, and on
//: want value ["RangeError",true]
let depth = 0;
const f = () => { depth++; f(); };
try { f(); } catch (e) { return [e.name, depth > 500]; }

//// recursion caught at every level
//: want fails timeout
const f = () => { try { f(); } catch { f(); } };
f();

//// recursion with many arguments
//: want fails memory_limit_exceeded
const f = (...a) => f(...a, 1, 2, 3, 4, 5, 6, 7, 8);
f();

//// recursion with the longest argument list
//: want fails memory_limit_exceeded
const many = Array(65000).fill(0);
const f = () => f(...many);
f();

//// apply of the longest argument list
//: want value 65535
return String.fromCharCode.apply(null, Array(65535).fill(65)).length;

//// mutual recursion through a getter
//: want throws RangeError: Maximum call stack size exceeded
const o = { get a() { return this.b; }, get b() { return this.a; } };
return o.a;

//// a setter that sets itself
//: want throws RangeError: Maximum call stack size exceeded
({ set a(v) { this.a = v; } }).a = 1;

//// valueOf and toString that call themselves
//: want throws RangeError: Maximum call stack size exceeded
const o = { valueOf() { return +this; }, toString() { return `${this}`; } };
return +o;

//// toString of an array in an array, very deep
//: want throws RangeError: Maximum call stack size exceeded
let a = [];
for (let i = 0; i < 1e5; i++) a = [a];
return String(a).length;

//// an array that contains itself as text
//: want throws RangeError: Maximum call stack size exceeded
const a = [];
a.push(a);
return String(a);

//// flat of a very deep array
//: want throws RangeError: Maximum call stack size exceeded
let a = [];
for (let i = 0; i < 1e5; i++) a = [a];
return a.flat(Infinity).length;

//// JSON.parse of very deep text
//: want throws RangeError: Maximum call stack size exceeded
return JSON.parse('['.repeat(1e6) + ']'.repeat(1e6));

//// JSON.parse of very deep objects
//: want throws RangeError: Maximum call stack size exceeded
return JSON.parse('{"a":'.repeat(1e5) + '1' + '}'.repeat(1e5));

//// JSON.parse whose reviver goes deeper and deeper
//: want throws RangeError: Maximum call stack size exceeded
return JSON.parse('[1]', function again(k, v) { return JSON.parse('[1]', again); });

//// JSON.stringify of a very deep value
//: want fails timeout
let a = [];
for (let i = 0; i < 4e4; i++) a = [a];
return JSON.stringify(a).length;

//// JSON.stringify whose toJSON calls it
//: want throws RangeError: Maximum call stack size exceeded
const o = { toJSON() { return JSON.stringify(o); } };
return JSON.stringify(o);

//// structuredClone of a very deep value
//: want value 30000
let a = [];
for (let i = 0; i < 3e4; i++) a = [a];
let b = structuredClone(a), n = 0;
for (; b.length; b = b[0]) n++;
return n;

//// structuredClone in a getter that it calls
//: want throws RangeError: Maximum call stack size exceeded
const o = { get a() { return structuredClone(o); } };
structuredClone(o);

//// a very deep value as value
//: want value "cut at 512 levels"
let a = [];
for (let i = 0; i < 1e5; i++) a = [a];
text(a);
return 'cut at 512 levels';

//// a very deep value as input of a call
//: want throws TypeError: tool input is not JSON-compatible: it is nested more than 512 levels deep
//: requests
let a = {};
for (let i = 0; i < 1e5; i++) a = { a };
await tools.echo(a);

//// Maps in Sets in Maps, very deep, as value
//: want fails output_limit_exceeded
let m = new Map();
for (let i = 0; i < 1e4; i++) m = i % 2 ? new Map([[m, m]]) : new Set([m]);
return m;

//// conversion at the end of the stack
//: want throws RangeError: Maximum call stack size exceeded
const f = () => { f(); };
const g = (n) => { if (n > 0) g(n - 1); else { try { f(); } catch {} text([[[[1]]]]); } };
for (let i = 0; ; i += 10) g(i);

//// a getter that converts what contains it
//: want value {"a":1}
const o = { get a() { text(o); return 1; } };
return o;

//// a Proxy of a Proxy of a Proxy
//: want throws RangeError: Maximum call stack size exceeded
let p = {};
for (let i = 0; i < 1e5; i++) p = new Proxy(p, {});
return p.a;

//// a very deep Proxy asked for everything
//: want value ["RangeError","RangeError","RangeError","RangeError","RangeError","RangeError","RangeError"]
let p = function () {};
for (let i = 0; i < 1e5; i++) p = new Proxy(p, {});
return [() => 'a' in p, () => delete p.a, () => { p.a = 1; }, () => Object.keys(p), () => Object.isExtensible(p), () => p(), () => new p()]
  .map((f) => { try { return f(); } catch (e) { return e.name; } });

//// Array.isArray of a very deep Proxy
//: want value true
let p = [];
for (let i = 0; i < 1e5; i++) p = new Proxy(p, {});
return Array.isArray(p);

//// a Proxy whose trap asks the Proxy
//: want throws RangeError: Maximum call stack size exceeded
const p = new Proxy({}, { get: (t, k, r) => r[k], has: (t, k) => k in p });
return p.a;

//// a Proxy that is its own handler
//: want throws RangeError: Maximum call stack size exceeded
const handler = {};
const p = new Proxy({}, handler);
Object.setPrototypeOf(handler, p);
return p.a;

//// a Proxy as its own prototype
//: want throws RangeError: Maximum call stack size exceeded
const p = new Proxy({}, {});
Object.setPrototypeOf(Object.getPrototypeOf(p) ? p : {}, null);
const a = {}, b = Object.create(new Proxy(a, {}));
try { Object.setPrototypeOf(a, b); } catch (e) { return e.name; }
return b.missing;

//// bound functions, very deep
//: want throws RangeError: Maximum call stack size exceeded
let f = () => 1;
for (let i = 0; i < 1e5; i++) f = Object.defineProperty(f.bind(null), 'name', { value: '' });
return f();

//// instanceof of very deep bound functions
//: want throws RangeError: Maximum call stack size exceeded
let f = function () {};
for (let i = 0; i < 1e5; i++) f = Object.defineProperty(f.bind(null), 'name', { value: '' });
return {} instanceof f;

//// class constructors that construct
//: want throws RangeError: Maximum call stack size exceeded
class A { constructor() { return new A(); } }
new A();

//// very deep classes
//: want throws RangeError: Maximum call stack size exceeded
let C = class {};
for (let i = 0; i < 1e4; i++) C = class extends C {};
new C();

//// fields that construct
//: want throws RangeError: Maximum call stack size exceeded
class A { a = new A(); }
new A();

//// sort, map and replace callbacks that go deeper
//: want throws RangeError: Maximum call stack size exceeded
const f = () => [2, 1].sort(() => [1].map(() => 'a'.replace('a', f)));
f();

//// reduce and forEach that go deeper
//: want throws RangeError: Maximum call stack size exceeded
const f = () => new Map([[1, 1]]).forEach(() => new Set([1]).forEach(() => [1, 2].reduce(f)));
f();

//// tagged templates, spread and destructuring defaults that go deeper
//: want throws RangeError: Maximum call stack size exceeded
const f = ({ a = f({}) }) => a;
f({});

//// iterators that iterate themselves
//: want throws RangeError: Maximum call stack size exceeded
const it = { [Symbol.iterator]() { return [...it]; } };
[...it];

//// species that constructs by species
//: want throws RangeError: Maximum call stack size exceeded
class A extends Array { static get [Symbol.species]() { new A(1).map((x) => x); return A; } }
new A(1).map((x) => x);

//// a Promise executor that makes a Promise
//: want idle
const f = (r) => new Promise(f);
await new Promise(f);

//// an async function that calls itself at once
//: want throws RangeError: Maximum call stack size exceeded
const f = async () => { await f(); };
await f();

//// eval in eval in eval
//: want throws RangeError: Maximum call stack size exceeded
globalThis.again = "(0, eval)(again)";
(0, eval)(again);

//// direct eval that goes deeper
//: want throws RangeError: Maximum call stack size exceeded
const s = 'eval(s)';
eval(s);

//// Function made by a Function
//: want throws RangeError: Maximum call stack size exceeded
globalThis.body = 'return new Function(body)()';
new Function(body)();

//// parentheses nested deep in the cell's text
//: want throws RangeError: Maximum call stack size exceeded
eval('('.repeat(1e5) + '1' + ')'.repeat(1e5));

//// arrays nested deep in text
//: want throws RangeError: Maximum call stack size exceeded
eval('['.repeat(1e5) + ']'.repeat(1e5));

//// blocks nested deep in text
//: want throws RangeError: Maximum call stack size exceeded
eval('{'.repeat(1e5) + '}'.repeat(1e5));

//// functions nested deep in text
//: want throws SyntaxError: missing formal parameter
eval('(()=>'.repeat(1e5) + '1' + ')'.repeat(1e5));

//// templates nested deep in text
//: want throws RangeError: Maximum call stack size exceeded
eval('`${'.repeat(1e5) + '1' + '}`'.repeat(1e5));

//// unary operators and conditionals nested deep in text
//: want throws RangeError: Maximum call stack size exceeded
eval('-'.repeat(1e5).replaceAll('--', '- -') + '1');

//// patterns nested deep in text
//: want throws SyntaxError: variable name expected
eval('var ' + '['.repeat(1e5) + 'a' + ']'.repeat(1e5) + ' = 1');

//// a chain of else ifs as long as can be
//: want throws RangeError: Maximum call stack size exceeded
eval('if (0) ; else '.repeat(1e5) + ';');

//// a sum of very many terms
//: want value 100000
return eval('0' + '+1'.repeat(1e5));

//// an assignment of very many targets
//: want throws RangeError: Maximum call stack size exceeded
eval('a='.repeat(1e5) + '1');

//// a text whose value is a comma list that is very long
//: want value 1
return eval('0,'.repeat(2e5) + '1');

//// labels without end
//: want throws RangeError: Maximum call stack size exceeded
eval(Array.from({ length: 1e5 }, (_, i) => 'l' + i + ':').join('') + ';');

//// an error with a stack that is very deep
//: want value ["RangeError",true]
const f = (n) => (n === 0 ? new Error('deep') : f(n - 1));
let e;
try { e = f(1e6); } catch (c) { e = c; }
return [e.name, e.stack.length < 100000];

//// causes that go round
//: want throws Error: round
const e = new Error('round');
e.cause = e;
throw e;

//// a very deep error as value
//: want value "ok"
let e = new Error('x');
for (let i = 0; i < 1e5; i++) { const n = new Error('y'); n.inner = e; e = n; }
text(e);
return 'ok';

//// freeing a very deep value
//: want value 1
{ let a = []; for (let i = 0; i < 2e5; i++) a = [a]; a = null; }
return 1;

//// freeing a very long list of closures
//: want value 1
{ let f = () => 0; for (let i = 0; i < 1e5; i++) { const g = f; f = () => g; } f = null; }
return 1;

//// freeing very deep Maps and bound functions
//: want value 1
{ let m = new Map(); for (let i = 0; i < 5e4; i++) m = new Map([[m, m.get]]); let f = () => 0; for (let i = 0; i < 5e4; i++) f = Object.defineProperty(f.bind(f), 'name', { value: '' }); }
return 1;

//// a rope that is very deep, compared
//: want value [300000,true]
let a = '', b = '';
for (let i = 0; i < 3e5; i++) { a = a + 'x'; b = 'x' + b; }
return [a.length, a === b];
