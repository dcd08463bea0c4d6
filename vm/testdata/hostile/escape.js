Ways out of the sandbox, into the controller, or into the host's view of the run.

//// constructors lead to Function of this realm only
//: want value ["undefined","undefined","undefined","function"]
const F = text.constructor;
const G = (async () => 0).constructor, H = (function* () {}).constructor;
return [typeof F('return this')().process, typeof F('return typeof require')().require, typeof (await G('return this')()).host, typeof H];

//// helpers show no source and no properties that can be changed
//: want value [true,["length","name"],false,"TypeError"]
let err;
try { (() => { 'use strict'; text.x = 1; })(); } catch (e) { err = e.name; }
return [/\[native code\]/.test(Function.prototype.toString.call(text)), Object.getOwnPropertyNames(text).sort(), 'prototype' in text, err];

//// caller and arguments of helpers
//: want value ["TypeError","TypeError"]
return ['caller', 'arguments'].map((k) => { try { return text[k]; } catch (e) { return e.name; } });

//// who calls a getter in a value is not seen
//: want value {"who":[null]}
const o = {};
Object.defineProperty(o, 'who', { enumerable: true, get: function f() { return [f.caller === undefined || f.caller === null ? null : String(f.caller)]; } });
return o;

//// arguments.callee.caller in a callback of the controller
//: want value null
let seen;
queueMicrotask(function () { seen = arguments.callee.caller; });
await null;
return seen === undefined || seen === null ? null : String(seen);

//// arguments of a callback of the controller
//: want value [0,"undefined"]
let seen;
queueMicrotask(function () { 'no strict'; seen = [arguments.length, this === globalThis ? 'undefined' : typeof this]; });
await null;
return seen;

//// a stack shows nothing of the host
//: want value [false,true]
const stacks = [new Error('a').stack];
text({ get a() { stacks.push(new Error('b').stack); return 1; } });
try { tools.callValue('x', { get a() { stacks.push(new Error('c').stack); return 1; } }); } catch {}
await null;
stacks.push(await Promise.resolve().then(async () => { await 0; return new Error('d').stack; }));
const places = stacks.join('\n').match(/\([^)]*\)/g);
return [/wasm|quickjs|\.go\b|\//.test(stacks.join()), places.every((p) => /^\((native|(cell|controller)\.js:-?\d+:\d+)\)$/.test(p))];

//// prepareStackTrace is not there and not used
//: want value [false,"string","string"]
const had = 'prepareStackTrace' in Error;
let sites;
Error.prepareStackTrace = (e, s) => { sites = s; return s; };
let deep;
text({ get a() { deep = new Error('x').stack; return 1; } });
return [had, typeof deep === 'object' && sites.some((s) => s.getFunction && s.getFunction()) ? 'leaked' : 'string', typeof new Error('y').stack === 'object' ? 'string' : 'string'];

//// call sites of the controller's functions
//: want value []
const leaked = [];
Error.prepareStackTrace = (e, s) => { for (const c of s) for (const m of ['getFunction', 'getThis']) { try { const f = c[m](); if (f && f !== globalThis) leaked.push(m); } catch {} } return ''; };
text({ get a() { new Error('x').stack; return 1; } });
tools.search({ toString() { new Error('x').stack; } });
return leaked;

//// captureStackTrace on things of the host
//: want value [null,null,null]
return [text, tools, API].map((o) => { try { Error.captureStackTrace(o); return o.stack; } catch (e) { return e.name; } });

//// stackTraceLimit without end
//: want value [true,true]
Error.stackTraceLimit = Infinity;
const f = (n) => (n ? f(n - 1) : new Error('x').stack);
const long = f(300).length;
Error.stackTraceLimit = -1;
return [long > 1000, new Error('x').stack.length < 200];

//// descriptors of all globals
//: want value []
const odd = [];
const d = Object.getOwnPropertyDescriptors(globalThis);
for (const k of Reflect.ownKeys(d)) {
  const contract = ['ALL_TOOLS', 'tools', 'API', 'MCP', 'namespaces', 'text', 'json', 'yield_control', 'console', 'setTimeout', 'clearTimeout', 'queueMicrotask', 'structuredClone',
    'TextEncoder', 'TextDecoder', 'atob', 'btoa', 'URL', 'URLSearchParams', 'plug'].includes(k);
  if (contract && (d[k].configurable || d[k].writable || !d[k].enumerable)) odd.push(k);
  if (/host|bridge|settle|openclaw|qjs|std|os$|print|script/i.test(String(k))) odd.push(k);
}
return odd;

//// what is absent
//: want value ["undefined","undefined","undefined","undefined","undefined","undefined","undefined","undefined","undefined","undefined","undefined"]
return [typeof process, typeof require, typeof module, typeof fetch, typeof setInterval, typeof SharedArrayBuffer, typeof Atomics, typeof WebAssembly,
  typeof __openclawHostRequest, typeof print, typeof std];

//// Atomics.wait and SharedArrayBuffer by other ways
//: want throws ReferenceError: Atomics is not defined
const views = [new Int32Array(4).buffer.constructor.name, Object.getOwnPropertyNames(globalThis).filter((n) => /shared|atomic/i.test(n)).length];
if (views.join() !== 'ArrayBuffer,0') return views;
Atomics.wait(new Int32Array(4), 0, 0);

//// getters of the lazy globals, called elsewhere
//: want value [true,true,"TypeError"]
const get = (k) => Object.getOwnPropertyDescriptor(globalThis, k).get;
let set;
try { (() => { 'use strict'; ALL_TOOLS = 1; })(); } catch (e) { set = e.name; }
return [get('ALL_TOOLS').call(null) === ALL_TOOLS, Object.isFrozen(get('MCP').call({})), set];

//// prototypes of Object, Array, Promise and JSON patched before a call
//: requests callValue
//: settle 1 {"real":[1,2]}
//: want value {"real":[1,2]}
let seen = 0;
for (const [o, names] of [[Object.prototype, ['resolve', 'reject', 'then', 'fn', 'args', 'id', 'toJSON']], [Array.prototype, ['push', 'map', 'join', 'concat', 'slice', 'filter']]])
  for (const n of names) Object.defineProperty(o, n, { set(v) { seen++; }, get() { return undefined; }, configurable: true });
Promise.prototype.then = Promise.prototype.catch = Promise.prototype.finally = () => { throw new Error('patched'); };
Promise.resolve = Promise.reject = Promise.all = () => 'patched';
JSON.parse = JSON.stringify = () => { throw new Error('patched'); };
Symbol.prototype.toString = Function.prototype.call = Function.prototype.apply = Function.prototype.bind = () => 'patched';
Reflect.apply = Reflect.ownKeys = Reflect.defineProperty = () => 'patched';
Map.prototype.get = Set.prototype.has = WeakSet.prototype.has = WeakSet.prototype.add = () => 'patched';
return await tools.callValue('openclaw:core:echo', { a: 1 });

//// the same patched while a call is pending
//: settle 1 {"real":1}
//: want value {"real":1}
const call = tools.echo({});
JSON.parse = () => 'patched';
Promise.prototype.then = () => { throw new Error('patched'); };
Object.defineProperty(Object.prototype, 'resolve', { get() { return () => 'patched'; } });
return await call;

//// then overridden sees values, not the host
//: settle 1 1
//: want value [true,"function","function"]
const then = Promise.prototype.then;
let args;
Promise.prototype.then = function (...a) { args = a.map((f) => typeof f); return then.apply(this, a); };
await tools.echo().then((v) => v, () => 0);
return [args.length === 2, ...args];

//// Promise.prototype.constructor replaced
//: settle 1 2
//: want throws Error: mine
class Mine extends Promise { constructor(f) { super(() => 0); throw new Error('mine'); } }
Promise.prototype.constructor = Mine;
Object.defineProperty(Promise, Symbol.species, { get() { return Mine; } });
queueMicrotask(() => 0);
return await tools.echo();

//// Object.prototype.then makes no thenable of answers and of what helpers give
//: settle 1 {"a":1}
//: want throws Error: stolen
Object.defineProperty(Object.prototype, 'then', { configurable: true, get() { throw new Error('stolen'); } });
return await tools.echo();

//// then as a key of an answer is called once, as promises do, with no function of the host
//: settle 1 {"then":1,"a":2}
//: want value {"then":1,"a":2}
return await tools.echo();

//// __proto__ in an answer is a plain key
//: settle 1 {"__proto__":{"evil":true},"constructor":{"prototype":{"evil":true}}}
//: want value [null,true,null]
const v = await tools.echo();
return [v.evil, Object.getOwnPropertyNames(v).includes('__proto__'), ({}).evil];

//// iterators patched
//: emits [{"type":"text","text":"[info] a [1,2] {\"k\":[3]}"}]
//: want value [1,{"2":3}]
const bad = function () { return { next() { throw new Error('patched'); } }; };
Array.prototype[Symbol.iterator] = Map.prototype[Symbol.iterator] = Set.prototype[Symbol.iterator] = String.prototype[Symbol.iterator] = bad;
Object.getPrototypeOf([].keys()).next = bad;
console.info('a', [1, 2], JSON.parse('{"k":[3]}'));
return JSON.parse('[1,{"2":3}]');

//// a secret that getters of Array.prototype would see
//: settle 1 {"secret":"s"}
//: want value []
const seen = [];
for (let i = 0; i < 8; i++) Object.defineProperty(Array.prototype, i, { configurable: true, set(v) { seen.push(typeof v); }, get() { return undefined; } });
for (const n of ['resolve', 'reject', 'secret']) Object.defineProperty(Object.prototype, n, { configurable: true, set(v) { seen.push(n); } });
const p = tools.echo(1, 2, 3);
setTimeout(() => 0, 1, 'a', 'b');
await p;
for (let i = 0; i < 8; i++) delete Array.prototype[i];
return seen;

//// Symbol.species and toPrimitive of what is converted
//: want value [[1],[2],"s"]
class A extends Array { static get [Symbol.species]() { throw new Error('species'); } }
class U extends Uint8Array { static get [Symbol.species]() { throw new Error('species'); } get length() { return 1e9; } }
return [A.of(1), U.of(2), Object.assign(Object('s'), { toString: () => 'forged', valueOf: () => 'forged', [Symbol.toPrimitive]: () => 'forged' })];

//// typed arrays whose length lies
//: want value [[1,2],[1,2,3,4]]
const a = new Uint8Array([1, 2]);
Object.defineProperty(a, 'length', { value: 1e9 });
const v = new DataView(new Uint8Array([1, 2, 3, 4]).buffer);
Object.defineProperty(v, 'byteLength', { value: 1e9 });
return [a, v];

//// a Map that only looks like one
//: want value ["[Unserializable: Map object expected]","[Unserializable: not a Date object]"]
const fake = (C) => Object.setPrototypeOf({ a: 1 }, C.prototype);
return [fake(Map), fake(Date)].map((o) => o).map((o) => o);

//// globals shadowed
//: requests search
//: want idle
var globalThis = 1, Object = 2, Promise = 3, JSON = 4, Reflect = 5, Function = 6, Error = 7;
function host() { return 'forged'; }
var __openclawHostRequest = host;
await tools.search('x');

//// globals deleted
//: emits [{"type":"text","text":"{\"a\":[1]}"}]
//: settle 1 {"ok":1}
//: want value {"ok":1}
const echo = tools.echo;
const g = globalThis;
for (const k of Reflect.ownKeys(g)) delete g[k];
text({ a: [1] });
return await echo();

//// globals of the contract cannot be deleted or changed
//: want value [false,"TypeError","TypeError","TypeError","function"]
const attempt = (f) => { try { return f(); } catch (e) { return e.name; } };
const strict = new Function('"use strict"; tools = 1');
return [attempt(() => delete globalThis.tools), attempt(() => Object.defineProperty(globalThis, 'text', { value: 1 })), attempt(strict),
  attempt(() => Object.setPrototypeOf(tools, {}) && 'set'), typeof tools.search];

//// a global proxy as prototype of the global object
//: want value [true,"function"]
const seen = [];
let ok = true;
try { Object.setPrototypeOf(globalThis, new Proxy({}, { get: (t, k) => { seen.push(k); return undefined; }, has: () => false })); } catch { }
text('x');
return [!seen.includes('host'), typeof tools.call];

//// proxies of tools
//: requests callValue
//: want throws TypeError: proxy: inconsistent get
const p = new Proxy(tools, { get: () => 'forged' });
tools.echo(1);
Object.keys(tools);
return p.search;

//// tools gives nothing of its target or its handler
//: want value [null,false,["call","callValue","describe","echo","search"],"undefined","TypeError"]
let err;
try { (() => { 'use strict'; tools.echo = 1; })(); } catch (e) { err = e.name; }
return [Object.getPrototypeOf(tools), Reflect.set(tools, 'x', 1), Reflect.ownKeys(tools).sort(), typeof tools.constructor, err];

//// helpers called with a wrong this and wrong arguments
//: requests callValue
//: want value ["callValue","code mode"]
const { callValue } = tools;
Reflect.apply(callValue, new Proxy({}, { get() { throw 1; } }), [Symbol('x'), undefined]).catch(() => 0);
return ['callValue', 'code mode'];

//// helpers as constructors
//: want value ["TypeError","TypeError","TypeError"]
return [text, tools.search, API.list].map((f) => { try { new f(); } catch (e) { return e.name; } });

//// JSON.parse with a reviver on what the host gave
//: settle 1 {"a":{"b":1}}
//: want value {"a":{"b":1}}
Object.defineProperty(Object.prototype, 'b', { set() { throw new Error('set'); }, configurable: true });
const v = await tools.echo();
return v;

//// values of a namespace are frozen and plain
//: want value [true,true,[1],"TypeError","object"]
let err;
try { (() => { 'use strict'; plug.data.deep.push(2); })(); } catch (e) { err = e.name; }
return [Object.isFrozen(plug), Object.isFrozen(plug.data.deep), plug.data.deep, err, typeof plug.data];

//// ALL_TOOLS is frozen through and through
//: want value [true,true,"TypeError","echo"]
let err;
try { ALL_TOOLS.push(1); } catch (e) { err = e.name; }
ALL_TOOLS[0].name = 'forged';
return [Object.isFrozen(ALL_TOOLS), Object.isFrozen(ALL_TOOLS[0]), err, ALL_TOOLS[0].name];

//// async stacks and unhandled rejections show nothing
//: want throws Error: late
await null;
await new Promise((r) => queueMicrotask(r));
throw new Error('late');

//// a thrown error with a forged stack
//: want throws Error: forged
const e = new Error('forged');
e.stack = '    at host (controller.js:1:1)\n    at secret (/etc/passwd:1:1)';
throw e;

//// a thrown error with a name and a message that are getters
//: want throws [Unserializable: nope]
throw { get name() { throw new Error('nope'); } };

//// a thrown proxy
//: want throws [Unserializable: trap]
throw new Proxy({}, { get() { throw new Error('trap'); } });

//// a thrown error that looks like exhausted memory
//: want fails memory_limit_exceeded
throw Object.assign(new Error('out of memory'), { name: 'InternalError' });

//// Math.random and Date give nothing of the host
//: want value [true,0,1700000000000]
const d = new Date();
return [Math.random() < 1, d.getTimezoneOffset(), Date.now()];

//// Intl, locale and time zone
//: want value ["undefined","1/1/1970, 12:00:00 AM"]
return [typeof Intl, new Date(0).toLocaleString().replace(/^0?1\/0?1/, '1/1')];

//// WeakRef and FinalizationRegistry see nothing collected of the host
//: want value 0
let n = 0;
const r = new FinalizationRegistry(() => n++);
for (const o of [text, tools, API, console]) r.register(o, 1);
for (let i = 0; i < 1e4; i++) ({ i });
await null;
return n;

//// a generator of the controller
//: want value ["[object Promise]","[object Promise]"]
return [API.list(), tools.search('x')].map((p) => Object.prototype.toString.call(p));
