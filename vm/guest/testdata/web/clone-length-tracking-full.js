const b = new ArrayBuffer(6, { maxByteLength: 6 });
new Uint8Array(b).set([1, 2, 3, 4, 5, 6]);
const c = structuredClone([new Uint8Array(b), new Uint8Array(b, 0, 6), new Uint32Array(b), new Uint32Array(b, 0, 1)]);
c[0].buffer.resize(5);
return [c.map((v) => v.length), [...new Uint8Array(b)], b.byteLength];
