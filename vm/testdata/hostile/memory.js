//: memory 4M
Every way to use memory up. It ends as the memory limit, or the guest catches the engine's error and goes on.

//// an array that grows
//: want fails memory_limit_exceeded
const a = [];
for (;;) a.push(a.length);

//// an array that grows in the smallest memory
//: memory 1M
//: want fails memory_limit_exceeded
const a = [];
for (;;) a.push({});

//// an array that grows in a large memory
//: memory 32M
//: want fails memory_limit_exceeded
const a = [];
for (;;) a.push(1.5, 2.5, 3.5, 4.5);

//// a dense array of the greatest length
//: want fails memory_limit_exceeded
return new Array(2 ** 32 - 1).fill(0).length;

//// a string that doubles
//: want fails memory_limit_exceeded
let s = 'xy';
for (;;) { s += s; s.charCodeAt(s.length - 1); }

//// a rope that doubles until the longest string
//: want throws InternalError: string too long
let s = 'xy';
for (;;) s += s;

//// a rope that leans to one side
//: memory 1M
//: want fails memory_limit_exceeded
let s = '';
for (let i = 0; ; i++) s = 'left' + s + i;

//// a rope flattened
//: want fails memory_limit_exceeded
let s = 'x'.repeat(1000);
while (s.length < 2 ** 29) s += s;
return s.indexOf('y');

//// many strings
//: want fails memory_limit_exceeded
const a = [];
for (let i = 0; ; i++) a.push('string number ' + i);

//// repeat
//: want fails memory_limit_exceeded
return 'x'.repeat(2 ** 29).length;

//// repeat of characters of two bytes
//: want fails memory_limit_exceeded
return '€'.repeat(2 ** 28).length;

//// padStart
//: want fails memory_limit_exceeded
return 'x'.padStart(2 ** 29).length;

//// join
//: want fails memory_limit_exceeded
return Array(1000).fill('x'.repeat(1e5)).join().length;

//// split
//: want fails memory_limit_exceeded
return 'é'.repeat(8e5).split('').length;

//// replace with a function
//: want fails memory_limit_exceeded
return 'a'.repeat(200).replace(/a/g, () => 'b'.repeat(1e5)).length;

//// concat
//: want fails memory_limit_exceeded
let a = [1, 2, 3];
for (;;) a = a.concat(a);

//// spread
//: want fails memory_limit_exceeded
let a = [1, 2, 3];
for (;;) a = [...a, ...a];

//// flat
//: want fails memory_limit_exceeded
let a = [1];
for (let i = 0; i < 40; i++) a = [a, a];
return a.flat(Infinity).length;

//// a Map that grows
//: want fails memory_limit_exceeded
const m = new Map();
for (let i = 0; ; i++) m.set(i, i);

//// a Set of objects
//: want fails memory_limit_exceeded
const s = new Set();
for (;;) s.add({});

//// a WeakMap that keeps what keeps it
//: want fails memory_limit_exceeded
const keep = [], w = new WeakMap();
for (;;) { const k = {}; keep.push(k); w.set(k, [k]); }

//// closures
//: want fails memory_limit_exceeded
let f = () => 0;
for (;;) { const g = f; f = () => g; }

//// functions made from text
//: want fails memory_limit_exceeded
const all = [];
for (let i = 0; ; i++) all.push(new Function('a', 'return a + ' + i));

//// classes
//: want fails memory_limit_exceeded
const all = [];
for (;;) all.push(class { static #p = 1; m() {} get g() { return 1; } });

//// shapes: objects with ever different keys
//: want fails memory_limit_exceeded
const all = [];
for (let i = 0; ; i++) all.push({ ['k' + i]: 1, ['l' + i]: 2 });

//// atoms: property names without end
//: want fails memory_limit_exceeded
const o = {};
for (let i = 0; ; i++) o['name' + i] = 1;

//// symbols
//: want fails memory_limit_exceeded
const o = {};
for (let i = 0; ; i++) o[Symbol('s' + i)] = Symbol.for('t' + i);

//// one object with very many properties
//: want fails memory_limit_exceeded
globalThis.all = {};
for (let i = 0; ; i++) globalThis['v' + i] = { i };

//// regular expressions
//: want fails memory_limit_exceeded
const all = [];
for (let i = 0; ; i++) all.push(new RegExp('(?:a|b|c){1,' + (i % 100 + 1) + '}' + i));

//// dates, errors, boxed values
//: want fails memory_limit_exceeded
const all = [];
for (;;) all.push(new Date(), new Error('x'), Object(1), Object('s'), Object(1n));

//// errors with causes
//: want fails memory_limit_exceeded
let e = new Error('first');
for (;;) e = new Error('next', { cause: e });

//// promises that never settle
//: want fails memory_limit_exceeded
const all = [];
for (;;) all.push(new Promise(() => 0).then(() => 0));

//// async functions that wait for ever
//: want fails memory_limit_exceeded
const never = new Promise(() => 0);
for (;;) (async () => { const big = [1, 2, 3]; await never; return big; })();

//// generators
//: want fails memory_limit_exceeded
const all = [];
for (;;) { const g = (function* () { yield 1; })(); g.next(); all.push(g); }

//// proxies of proxies
//: want fails memory_limit_exceeded
let p = {};
for (;;) p = new Proxy(p, {});

//// bound functions of bound functions
//: want fails memory_limit_exceeded
let f = () => 0;
for (;;) f = f.bind(null, 1, 2, 3);

//// arguments objects that are kept
//: want fails memory_limit_exceeded
const all = [];
function keep() { all.push(arguments); }
for (;;) keep(1, 2, 3, {});

//// an ArrayBuffer over the limit
//: want fails memory_limit_exceeded
return new ArrayBuffer(1 << 30).byteLength;

//// an ArrayBuffer over what can be
//: want throws RangeError: invalid array buffer length
return new ArrayBuffer(2 ** 40).byteLength;

//// a typed array over the limit
//: want fails memory_limit_exceeded
return new Float64Array(1 << 27).length;

//// a typed array over the limit, which the guest does not get to catch
//: want fails memory_limit_exceeded
try {
  new Float64Array(1 << 27);
} catch (e) {
  return [e.name, e.message, new Float64Array(3).length];
}

//// typed arrays that add up
//: want fails memory_limit_exceeded
const all = [];
for (;;) all.push(new Uint8Array(1 << 20));

//// typed arrays that are dropped
//: want value 1000
let n = 0;
for (let i = 0; i < 1000; i++) n += new Uint8Array(2 << 20).length >> 21;
return n;

//// a typed array from an array-like that lies
//: want fails memory_limit_exceeded
return Uint8Array.from({ length: 2 ** 30 }).length;

//// a resizable buffer that may grow to more than there is
//: want value 8
return new ArrayBuffer(8, { maxByteLength: 1 << 30 }).byteLength;

//// a resizable buffer that grows to more than there is
//: want fails memory_limit_exceeded
const b = new ArrayBuffer(8, { maxByteLength: 1 << 30 });
for (let n = 1024; ; n *= 2) b.resize(n);

//// a resizable buffer that grows
//: want value [2097152,0,1048576]
const b = new ArrayBuffer(0, { maxByteLength: 2 << 20 }), view = new Uint8Array(b);
b.resize(2 << 20);
const most = view.length;
b.resize(0);
const least = view.length;
b.resize(1 << 20);
return [most, least, view.length];

//// a resizable buffer that shrinks while a method reads it
//: want value [true,0]
const b = new ArrayBuffer(1 << 20, { maxByteLength: 1 << 20 }), view = new Uint8Array(b);
view.fill({ valueOf() { b.resize(0); return 7; } });
let threw = false;
try { view.sort((x, y) => { b.resize(0); return x - y; }); } catch { threw = true; }
b.resize(1000);
view.set({ length: 1000, get 5() { b.resize(0); return 1; } });
return [threw || true, view.length];

//// a buffer that is detached while a method reads it
//: want value [0,true]
const a = new Uint32Array(1e5);
const moved = [];
const key = { valueOf() { moved.push(a.buffer.transfer(8)); return 0; } };
const found = a.includes(1, key);
return [a.length, !found && moved[0].byteLength === 8];

//// a sort that detaches what it sorts
//: want value 0
const a = new Float64Array(1000).map((_, i) => -i);
a.sort((x, y) => { if (a.buffer.byteLength) a.buffer.transfer(); return x - y; });
return a.length;

//// a view behind the end of its buffer
//: want value [0,"undefined",false]
const b = new ArrayBuffer(64, { maxByteLength: 128 }), v = new Uint8Array(b, 32, 16);
b.resize(40);
v[0] = 9;
return [v.length, typeof v[0], 0 in v];

//// a DataView outside its buffer
//: want throws RangeError: out of bound
const v = new DataView(new ArrayBuffer(8));
v.setFloat64(1, 1);

//// JSON that is larger parsed than as text
//: want fails memory_limit_exceeded
return JSON.parse('[' + '{},'.repeat(3e5) + '0]').length;

//// JSON of a value with shared parts
//: want fails timeout
let x = [1];
for (let i = 0; i < 27; i++) x = [x, x];
return JSON.stringify(x).length;

//// structuredClone of a value that fills half of the memory
//: want fails memory_limit_exceeded
const a = [];
for (let i = 0; i < 3e4; i++) a.push({ i });
return structuredClone(structuredClone(a)).length;

//// structuredClone that doubles
//: memory 2M
//: want fails memory_limit_exceeded
let a = { a: 1, b: 2 };
for (;;) a = { l: a, r: structuredClone(a) };

//// out of memory caught without end
//: want fails timeout
const a = [];
for (;;) try { a.push('x'.repeat(1000)); } catch {}

//// out of memory caught, what was used let go, and on
//: want value [true,"fine"]
let a = [], caught = false;
try { for (;;) a.push({}); } catch { a = null; caught = true; }
return [caught, ['f', 'ine'].join('')];

//// out of memory in a finally that returns
//: want value "kept"
const a = [];
const f = () => { try { for (;;) a.push([1]); } finally { a.length = 0; return 'kept'; } };
return f();

//// out of memory in detached code
//: want value 5
(async () => { const a = []; for (;;) a.push({}); })().catch(() => 0);
return 5;

//// out of memory in a microtask
//: want value 5
queueMicrotask(() => { globalThis.a = []; for (;;) a.push({}); });
await null;
await null;
return 5;

//// out of memory in a timer
//: want fails memory_limit_exceeded
//: fire 1
setTimeout(() => { globalThis.a = []; for (;;) a.push({}); });
await new Promise(() => 0);

//// out of memory when the answer of a call comes
//: want fails memory_limit_exceeded
//: memory 2M
//: settle 1 [{"a":1},{"a":1},{"a":1}]
const call = tools.echo();
globalThis.a = [];
try { for (;;) a.push({}); } catch {}
await call;
a.push({}, {}, {}, {}, {}, {}, {}, {}, {});
for (;;) a.push({});

//// out of memory while an error is thrown for it
//: want fails memory_limit_exceeded
const a = [];
try { for (;;) a.push({}); } catch (e) { throw e; }

//// out of memory under another name
//: want throws Error: mine
const a = [];
try { for (;;) a.push({}); } catch (e) { a.length = 0; throw new Error('mine'); }

//// out of memory in a getter of the value
//: want value {"a":"[Unserializable: null]"}
return { get a() { const b = []; for (;;) b.push({}); } };

//// text of very many lines
//: want fails memory_limit_exceeded
let s = '';
for (;;) { s += 'line\n'.repeat(1000); s = s.trimEnd() + '\n'; }

//// Date objects formatted
//: want fails memory_limit_exceeded
const all = [];
for (let i = 0; ; i++) all.push(new Date(i * 1e6).toISOString());

//// a cell's own source as data
//: want fails memory_limit_exceeded
const f = function () { return arguments.callee.toString(); };
const all = [];
for (let i = 0; ; i++) all.push(f() + i);

//// eval that declares without end
//: want fails memory_limit_exceeded
for (let i = 0; ; i++) (0, eval)('var g' + i + ' = [1, 2, 3]');

//// template objects
//: want fails memory_limit_exceeded
const all = [];
for (let i = 0; ; i++) all.push(new Function('t', 'return t`a' + i + '${1}`')((s) => s));

//// URLSearchParams that grow
//: want fails memory_limit_exceeded
const p = new URLSearchParams();
for (let i = 0; ; i++) p.append('key' + i, 'value');

//// a decoder that is given everything
//: memory 1M
//: want fails memory_limit_exceeded
return new TextDecoder().decode(new Uint8Array(1 << 19).fill(0xc3)).length;

//// an encoder that is given everything
//: want fails memory_limit_exceeded
return new TextEncoder().encode('€'.repeat(1e6)).length;

//// search queries without end
//: want fails memory_limit_exceeded
const q = 'x'.repeat(1e6);
for (;;) tools.search(q);

//// requests for descriptions without end
//: want fails memory_limit_exceeded
for (;;) tools.describe('x');
