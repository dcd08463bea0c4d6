const shared = { x: 1 }; const d = new Date(5); const buf = new ArrayBuffer(2);
const c = structuredClone({ a: shared, b: shared, l: [shared], d1: d, d2: d, u: new Uint8Array(buf), v: new DataView(buf), buf, m: new Map([[shared, shared]]), s: new Set([shared]) });
c.u[0] = 9;
return [c.a === c.b, c.l[0] === c.a, c.d1 === c.d2, c.u.buffer === c.buf, c.v.getUint8(0), c.m.get(c.a) === c.a, c.s.has(c.a), new Uint8Array(buf)[0]];
