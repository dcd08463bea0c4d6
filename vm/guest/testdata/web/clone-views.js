const b = new Uint8Array([0, 1, 2, 3, 4, 5, 6, 7]).buffer;
const c = structuredClone({ a: new Uint8Array(b, 2, 3), d: new DataView(b, 4, 2), w: new Uint16Array(b, 2, 2) });
return [[...c.a], c.a.byteOffset, c.a.buffer.byteLength, c.d.byteOffset, c.d.byteLength, c.d.getUint8(1), c.w.length, c.a.buffer === c.d.buffer, c.a.buffer === b];
