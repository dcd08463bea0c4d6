const b = new ArrayBuffer(4, { maxByteLength: 16 });
new Uint8Array(b).set([1, 2, 3, 4]);
const c = structuredClone(b);
c.resize(8);
return [c.resizable, c.maxByteLength, c.byteLength, [...new Uint8Array(c)], b.byteLength, structuredClone(new ArrayBuffer(3)).resizable];
