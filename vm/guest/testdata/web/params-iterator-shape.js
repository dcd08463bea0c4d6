const it = new URLSearchParams('a=1').keys();
const p = Object.getPrototypeOf(it);
const base = Object.getPrototypeOf(Object.getPrototypeOf([][Symbol.iterator]()));
const d = Object.getOwnPropertyDescriptor(p, 'next');
return [Object.getPrototypeOf(p) === base, d.enumerable, d.value.length, Object.hasOwn(p, 'constructor'), p === Object.getPrototypeOf(new URLSearchParams().entries())];
