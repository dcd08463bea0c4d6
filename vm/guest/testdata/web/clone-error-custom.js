class MyError extends Error { constructor(m) { super(m); this.code = 7; this.name = 'MyError'; } }
const e = new TypeError('x'); e.extra = 1; e.name = 'Odd';
const a = structuredClone(new MyError('q')), b = structuredClone(e);
const none = structuredClone(new Error());
const n = new Error('z'); n.name = 'RangeError';
return [a.name, a.message, a.constructor === Error, a.code === undefined, b.name, b.extra === undefined, Object.hasOwn(none, 'message'), structuredClone(n) instanceof RangeError];
