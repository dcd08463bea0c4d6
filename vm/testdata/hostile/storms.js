//: memory 8M
Work that comes in very many small pieces, so that no turn ends.

//// microtasks without end
//: want fails timeout
const again = () => queueMicrotask(again);
again();

//// then after then without end
//: want fails timeout
const again = () => Promise.resolve().then(again);
again();

//// await in an endless loop
//: want fails timeout
for (;;) await null;

//// an async function that calls itself after each await
//: want fails timeout
const f = async () => { await 0; return f(); };
await f();

//// two storms that feed each other
//: want fails timeout
let n = 0;
const ping = async () => { n++; await 0; pong(); }, pong = async () => { n--; await 0; ping(); };
ping();
await new Promise(() => 0);

//// a storm after the cell returned
//: want fails timeout
queueMicrotask(function again() { queueMicrotask(again); });
return 1;

//// a storm that begins when a call is answered
//: want fails timeout
//: settle 1 1
await tools.echo();
for (;;) await 0;

//// a storm in a timer
//: want fails timeout
//: fire 1
setTimeout(() => { const again = () => queueMicrotask(again); again(); });
await new Promise(() => 0);

//// a timer that loops
//: want fails timeout
//: fire 1
setTimeout(() => { for (;;); });
await new Promise(() => 0);

//// a continuation that loops
//: want fails timeout
//: settle 1 1
await tools.echo();
for (;;);

//// a promise chain of 100,000
//: memory 1024M
//: want value 100000
let p = Promise.resolve(0);
for (let i = 0; i < 1e5; i++) p = p.then((n) => n + 1);
return await p;

//// a promise chain of a million in less memory than it needs
//: want fails memory_limit_exceeded
let p = Promise.resolve(0);
for (let i = 0; i < 1e6; i++) p = p.then((n) => n + 1);
return await p;

//// a promise resolved with a promise, very deep
//: want value 7
let p = Promise.resolve(7);
for (let i = 0; i < 5e3; i++) { const q = p; p = new Promise((r) => r(q)); }
return await p;

//// a promise resolved with itself
//: want throws TypeError: promise self resolution
let r;
const p = new Promise((f) => { r = f; });
r(p);
await p;

//// a thenable that is always another thenable
//: want fails timeout
const make = () => ({ then(f) { f(make()); } });
await make();

//// a thenable whose then is a getter without end
//: want fails timeout
await { get then() { for (;;); } };

//// Promise.all of very many promises
//: want value 10000
return (await Promise.all(Array.from({ length: 1e4 }, async (_, i) => i))).length;

//// Promise.all of an endless iterable
//: want fails memory_limit_exceeded
await Promise.all({ [Symbol.iterator]: () => ({ next: () => ({ value: 1, done: false }) }) });

//// Promise.race of an endless iterable
//: want fails timeout
await Promise.race({ [Symbol.iterator]: () => ({ next: () => ({ value: new Promise(() => 0), done: false }) }) });

//// Promise.any of very many rejections
//: want value [5000,"AggregateError"]
try {
  await Promise.any(Array.from({ length: 5e3 }, (_, i) => Promise.reject(i)));
} catch (e) {
  return [e.errors.length, e.name];
}

//// rejections that nobody handles, without end
//: want fails timeout
for (;;) { Promise.reject(new Error('x')); await 0; }

//// generators that yield to each other, very deep
//: want throws RangeError: Maximum call stack size exceeded
function* deep(n) { if (n > 0) yield* deep(n - 1); yield n; }
return [...deep(1e5)].length;

//// a generator without end, spread
//: want fails memory_limit_exceeded
return [...(function* () { for (let i = 0; ; i++) yield i; })()].length;

//// a generator that is destructured without end
//: want value [0,1]
const [a, b] = (function* () { for (let i = 0; ; i++) yield i; })();
return [a, b];

//// a generator whose return never returns
//: want fails timeout
const [a] = (function* () { try { for (;;) yield 1; } finally { for (;;); } })();

//// a generator that calls itself
//: want throws TypeError: cannot invoke a running generator
const g = (function* () { g.next(); yield 1; })();
g.next();

//// async generators without end
//: want fails timeout
for await (const x of (async function* () { for (;;) yield 1; })());

//// very many async generators waiting
//: want value 5000
const gens = Array.from({ length: 5e3 }, () => (async function* () { yield 1; })());
return (await Promise.all(gens.map((g) => g.next()))).reduce((n, r) => n + r.value, 0);

//// a queue of requests to one async generator
//: want value 10000
const g = (async function* () { for (let i = 1; ; i++) yield i; })();
let last;
for (let i = 0; i < 1e4; i++) last = g.next();
return (await last).value;

//// iterator helpers without end
//: want fails timeout
return Iterator.from({ next: () => ({ value: 1, done: false }) }).map((x) => x).filter(() => false).next();

//// a getter without end in the value
//: want fails timeout
return { get a() { for (;;); } };

//// a getter that always gives one more object, as value
//: want fails output_limit_exceeded
const make = () => ({ get a() { return [make(), make()]; } });
return make();

//// toJSON that always gives another toJSON
//: want value "[Nested too deeply]"
const make = () => ({ toJSON: make });
return make();

//// toJSON without end
//: want fails timeout
text({ toJSON() { for (;;); } });

//// a proxy with keys without end
//: want value "caught"
const p = new Proxy({}, { ownKeys: () => new Proxy([], { get: (t, k) => (k === 'length' ? 2 ** 31 : 'k' + String(k)) }) });
try { Object.keys(p); } catch { return 'caught'; }

//// a prototype chain without end in the value
//: want value {}
const p = new Proxy({}, { getPrototypeOf: () => p });
return p;

//// valueOf without end
//: want fails timeout
return 1 + { valueOf() { for (;;); } };

//// toString without end in a message of an error
//: want fails timeout
throw { name: 'Error', get message() { for (;;); } };

//// Symbol.toPrimitive without end in the text of a thrown value
//: want fails timeout
throw Object.assign(() => 0, { toString() { for (;;); }, toJSON() { for (;;); } }) && { toJSON() { for (;;); } };

//// a stack that is a getter without end
//: want fails timeout
const e = new Error('x');
Object.defineProperty(e, 'stack', { get() { for (;;); } });
throw e;

//// a proxy whose every trap throws, in the value
//: want value {"v":"[Unserializable: no]"}
return { v: new Proxy({}, { get() { throw new Error('no'); }, getPrototypeOf() { throw new Error('no'); } }) };

//// WeakRef and FinalizationRegistry churn
//: want fails timeout
let n = 0;
const registry = new FinalizationRegistry(() => n++);
for (;;) { const o = {}; registry.register(o, 1); new WeakRef(o); if (n % 100 === 0) await 0; }

//// a finalizer that makes new garbage
//: want fails timeout
const registry = new FinalizationRegistry((f) => { registry.register({}, f); f(); });
registry.register({}, () => 0);
for (;;) await 0;

//// WeakMaps of cycles
//: want fails timeout
for (;;) { const m = new WeakMap(), k = { m }; m.set(k, k); }

//// timers set and cleared without end
//: want fails timeout
for (;;) clearTimeout(setTimeout(() => 0));

//// more timers than may be live
//: want throws RangeError: too many timers
for (;;) setTimeout(() => 0, 1);

//// timers set by timers
//: want idle
//: fire 1
//: fire 2
//: fire 3
//: requests sleep sleep sleep sleep
setTimeout(function again() { setTimeout(again); });
await new Promise(() => 0);
