Native loops of the standard library that run no guest code between two rounds. Each would go on for hours.

//// includes over an endless array-like
//: want fails timeout
return Array.prototype.includes.call({ length: 2 ** 53 - 1 }, 1);

//// indexOf over an endless array-like
//: want fails timeout
return Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1);

//// lastIndexOf over an endless array-like
//: want fails timeout
return Array.prototype.lastIndexOf.call({ length: 2 ** 53 - 1 }, 1);

//// forEach over an endless array-like
//: want fails timeout
return Array.prototype.forEach.call({ length: 2 ** 53 - 1 }, () => 0);

//// map, filter, some, every and reduce over holes
//: want fails timeout
const holes = { length: 2 ** 53 - 1 };
return [() => Array.prototype.some.call(holes, Boolean), () => Array.prototype.every.call(holes, Boolean)].map((f) => f());

//// reduce over an endless array-like
//: want fails timeout
return Array.prototype.reduce.call({ length: 2 ** 53 - 1 }, (a) => a, 0);

//// reduceRight over an endless array-like
//: want fails timeout
return Array.prototype.reduceRight.call({ length: 2 ** 53 - 1 }, (a) => a, 0);

//// find and findLast over an endless array-like
//: want fails timeout
return Array.prototype.findLastIndex.call({ length: 2 ** 53 - 1 }, Boolean);

//// fill of an endless array-like behind a proxy
//: want fails timeout
return Array.prototype.fill.call(new Proxy({ length: 2 ** 53 - 1 }, { set: () => true }), 1);

//// copyWithin of an endless array-like
//: want fails timeout
return Array.prototype.copyWithin.call({ length: 2 ** 53 - 1 }, 0, 1);

//// reverse of an endless array-like
//: want fails timeout
return Array.prototype.reverse.call({ length: 2 ** 53 - 1 });

//// shift of an endless array-like
//: want fails timeout
return Array.prototype.shift.call({ length: 2 ** 53 - 1 });

//// unshift of an endless array-like
//: want fails timeout
return Array.prototype.unshift.call({ length: 2 ** 53 - 2 }, 1);

//// splice of an endless array-like
//: want fails timeout
return Array.prototype.splice.call({ length: 2 ** 53 - 1 }, 0, 1);

//// slice of an endless array-like
//: want fails timeout
return Array.prototype.slice.call({ length: 2 ** 32 - 1 }, 0).length;

//// slice of more than an array can hold
//: want throws RangeError: invalid array length
return Array.prototype.slice.call({ length: 2 ** 53 - 1 }, 0).length;

//// concat of endless spreadable things
//: want fails timeout
return [].concat({ length: 2 ** 53 - 1, [Symbol.isConcatSpreadable]: true }).length;

//// flat of endless nothing
//: want fails timeout
return Array.prototype.flat.call({ length: 2 ** 53 - 1 });

//// flatMap of endless nothing
//: want fails timeout
return Array.prototype.flatMap.call({ length: 2 ** 53 - 1 }, (x) => x);

//// join of the longest array
//: want fails timeout
return Array(2 ** 32 - 1).join('').length;

//// join of the longest array with a separator
//: want fails timeout
return Array(2 ** 32 - 1).join('x'.repeat(2 ** 20)).length;

//// toString and toLocaleString of the longest array
//: want fails timeout
return Array(2 ** 32 - 1).toLocaleString().length;

//// sort of an endless array-like
//: want fails timeout
return Array.prototype.sort.call({ length: 2 ** 53 - 1 });

//// sort of a long array of holes
//: want fails timeout
return Array(2 ** 32 - 1).sort().length;

//// sort without comparator of long equal strings
//: want fails timeout
const long = 'x'.repeat(1e6);
return Array.from({ length: 4096 }, (_, i) => long + i).sort().length;

//// sort with a comparator that knows no order
//: want value 20000
let state = 1;
return Array.from({ length: 20000 }, (_, i) => i).sort(() => ((state = state * 16807 % 2147483647) & 1) - 0.5).length;

//// sort whose comparator shrinks the array
//: want value [1000,true]
const a = Array.from({ length: 1000 }, (_, i) => 1000 - i);
a.sort((x, y) => { a.length = 0; return x - y; });
return [a.length, a.every((v, i) => v === i + 1)];

//// toSorted, toReversed, toSpliced and with of too long array-likes
//: want value ["TypeError","RangeError","RangeError","RangeError"]
const big = { length: 2 ** 32 };
return ['toSorted', 'toReversed', 'toSpliced', 'with'].map((m) => {
  try { Array.prototype[m].call(big, 0, 0); } catch (e) { return e.name; }
});

//// from an endless array-like
//: want fails timeout
return Array.from.call(function () { return new Proxy({}, { defineProperty: () => true, set: () => true }); }, { length: 2 ** 53 - 1 }).length;

//// from an endless iterator that a Set never gets enough of
//: want fails timeout
return new Set({ [Symbol.iterator]: () => ({ next: () => ({ done: false, value: 1 }) }) }).size;

//// apply with an endless list of arguments
//: want throws RangeError: too many arguments in function call (only 65535 allowed)
return Math.max.apply(null, { length: 2 ** 32 - 1 });

//// set of a typed array from an endless array-like
//: want throws RangeError: invalid array length
new Uint8Array(10).set({ length: 2 ** 53 - 1 });

//// typed array methods over and over
//: want fails timeout
const bytes = new Uint8Array(16 << 20);
for (;;) { bytes.indexOf(1); bytes.lastIndexOf(1); bytes.includes(1); bytes.reverse(); bytes.sort(); }

//// long fills in a short loop
//: want fails timeout
const bytes = new Uint8Array(32 << 20);
for (;;) bytes.fill(1);

//// long copies in a short loop
//: want fails timeout
const bytes = new Uint8Array(32 << 20);
for (;;) bytes.copyWithin(1, 0);

//// slices in a short loop
//: want fails timeout
const bytes = new Uint8Array(24 << 20);
for (;;) bytes.slice(1);

//// moves of a long array in a short loop
//: want fails timeout
const a = Array(2e6).fill(1);
for (;;) { a.shift(); a.unshift(1); }

//// splices of a long array in a short loop
//: want fails timeout
const a = Array(2e6).fill(1);
for (;;) { a.splice(0, 1); a.splice(0, 0, 1); }

//// copies of a buffer in a short loop
//: want fails timeout
const b = new ArrayBuffer(24 << 20);
for (;;) b.slice(0);

//// transfers of a buffer in a short loop
//: want fails timeout
let b = new ArrayBuffer(16 << 20);
for (;;) b = b.transfer(b.byteLength ^ 65536);

//// string searches that never match
//: want fails timeout
const hay = 'a'.repeat(4e6), needle = 'a'.repeat(2e6) + 'b';
return hay.indexOf(needle);

//// lastIndexOf that never matches
//: want fails timeout
return ('a'.repeat(4e6)).lastIndexOf('b' + 'a'.repeat(2e6));

//// includes, startsWith and endsWith over long strings
//: want fails timeout
const hay = 'a'.repeat(8e6);
for (;;) { hay.includes('b'); hay.startsWith(hay); hay.endsWith(hay); }

//// comparisons of long equal strings
//: want fails timeout
const a = 'é' + 'a'.repeat(8e6), b = 'é' + 'a'.repeat(8e6);
for (;;) { a === b; a < b; a.localeCompare(b); }

//// repeat of more than a string can hold
//: want throws RangeError: string too long
return 'x'.repeat(2 ** 32).length;

//// padStart of more than a string can hold
//: want throws RangeError: invalid string length
return 'x'.padStart(2 ** 40).length;

//// padEnd in a loop
//: want fails timeout
for (;;) 'x'.padEnd(2e7, 'ab').length;

//// replaceAll that makes a text of texts
//: want fails timeout
return 'a'.repeat(1e5).replaceAll('a', 'b'.repeat(1e5)).length;

//// split into single characters over and over
//: want fails timeout
const s = 'a'.repeat(1e5);
for (;;) s.split('');

//// normalize of a long text of marks
//: want fails timeout
const marks = ('a' + '\u0316\u0301'.repeat(50)).repeat(5000);
for (;;) marks.normalize('NFD').normalize('NFC').normalize('NFKD');

//// normalize of one letter with very many marks
//: want fails timeout
return ('a' + '\u0301\u0316'.repeat(4e5)).normalize('NFC').length;

//// upper and lower case of long texts
//: want fails timeout
const s = 'ßİ'.repeat(5e5);
for (;;) { s.toUpperCase(); s.toLowerCase(); s.toLocaleUpperCase(); }

//// trim of a text of spaces
//: want fails timeout
const s = ' '.repeat(1e7) + 'x' + ' '.repeat(1e7);
for (;;) s.trim();

//// isWellFormed and toWellFormed
//: want fails timeout
const s = '\ud800'.repeat(5e6);
for (;;) { s.isWellFormed(); s.toWellFormed(); }

//// concat, at and code points of long texts
//: want fails timeout
const s = '😀'.repeat(2e6);
for (;;) [...s].length;

//// encodeURIComponent and decodeURIComponent
//: want fails timeout
const s = 'é'.repeat(5e5);
for (;;) decodeURIComponent(encodeURIComponent(s));

//// escape and unescape
//: want fails timeout
const s = 'é'.repeat(5e5);
for (;;) unescape(escape(s));

//// atob and btoa of long texts
//: want fails timeout
const s = 'x'.repeat(3e6);
for (;;) atob(btoa(s));

//// text encoder and decoder over long texts
//: want fails timeout
const s = 'é€😀'.repeat(3e5), encoder = new TextEncoder(), decoder = new TextDecoder();
for (;;) decoder.decode(encoder.encode(s));

//// URL of a long text
//: want fails timeout
const s = 'http://' + 'a.'.repeat(5e4) + 'com/' + 'é/../'.repeat(1e5);
for (;;) try { new URL(s); } catch {}

//// URLSearchParams sorted over and over
//: want fails timeout
const params = new URLSearchParams('b=1&a=2&'.repeat(2e4));
for (;;) { params.sort(); params.toString(); }

//// parseFloat and parseInt of long digits
//: want fails timeout
const s = '9'.repeat(4e6);
for (;;) { parseFloat(s); parseInt(s); Number(s); Number('0x' + s); }

//// numbers as text with all their digits
//: want fails timeout
for (;;) { (1e308).toString(2); Number.MIN_VALUE.toString(3); (1 / 3).toFixed(100); (1e21).toPrecision(100); }

//// Date parsing of long texts
//: want fails timeout
const s = ' '.repeat(1e6) + 'Jan '.repeat(1e5) + '('.repeat(1e6);
for (;;) Date.parse(s);

//// JSON of a wide value over and over
//: want fails timeout
const wide = Array(1e5).fill({ a: [1, 2.5, 'x'] });
for (;;) JSON.parse(JSON.stringify(wide));

//// JSON of a string of escapes
//: want fails timeout
const s = '\u0001"\\'.repeat(1e6);
for (;;) JSON.parse(JSON.stringify(s));

//// JSON.stringify of an endless array behind a proxy
//: want fails timeout
return JSON.stringify(new Proxy([], { get: (t, k) => (k === 'length' ? 2 ** 53 - 1 : undefined) }));

//// Object.keys of many keys over and over
//: want fails timeout
const o = {};
for (let i = 0; i < 2e5; i++) o['k' + i] = i;
for (;;) { Object.keys(o); Object.entries(o); Object.assign({}, o); ({ ...o }); Object.getOwnPropertyDescriptors(o); }

//// Object.fromEntries and groupBy without end
//: want fails timeout
return Object.groupBy({ [Symbol.iterator]: () => ({ next: () => ({ value: 1 }) }) }, () => 'same');

//// a prototype chain that is very long
//: want fails timeout
let o = {};
for (let i = 0; i < 1e5; i++) o = Object.create(o);
for (;;) o.missing;

//// instanceof and isPrototypeOf over a long chain
//: want fails timeout
let o = {};
for (let i = 0; i < 1e5; i++) o = Object.create(o);
for (;;) { o instanceof Map; Map.prototype.isPrototypeOf(o); }

//// a prototype chain that a proxy makes endless
//: want fails timeout
const p = new Proxy({}, { getPrototypeOf: () => p });
return p instanceof Map;

//// for-in over a long chain of wide objects
//: want fails timeout
let o = {};
for (let i = 0; i < 1e3; i++) { o = Object.create(o); for (let k = 0; k < 50; k++) o['k' + i + '_' + k] = 1; }
for (;;) for (const k in o);

//// hash tables whose keys all collide
//: want fails timeout
const m = new Map();
for (let i = 0; ; i++) { m.set(i * 2 ** 33, i); m.delete((i - 1000) * 2 ** 33); }

//// a Map that grows while it is visited
//: want fails timeout
const m = new Map([[1, 1]]);
m.forEach((v, k) => { m.delete(k); m.set(k + 1, 1); });

//// a Set that is compared with an endless set-like
//: want fails timeout
return new Set([1]).union({ size: Infinity, has: () => true, keys: () => ({ next: () => ({ done: false, value: 1 }) }) }).size;

//// fromCharCode and raw strings without end
//: want fails timeout
return String.raw({ raw: { length: 2 ** 53 - 1 } }).length;

//// an empty loop
//: want fails timeout
for (;;);

//// a loop of labels and switches
//: want fails timeout
outer: for (let i = 0; ; i++) { switch (i & 1) { case 0: continue outer; default: i--; i++; } }

//// a loop in a finally that swallows everything
//: want fails timeout
for (;;) { try { throw 1; } catch { continue; } finally { for (;;) break; } }

//// with, eval and Function in a loop
//: want fails timeout
for (;;) { eval('1 + 1'); new Function('return 1')(); }

//// a very long text for eval over and over
//: want fails timeout
const s = 'x = 1;'.repeat(1e4);
var x;
for (;;) eval(s);
