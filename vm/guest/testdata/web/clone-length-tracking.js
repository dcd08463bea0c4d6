const b = new ArrayBuffer(8, { maxByteLength: 16 });
new Uint8Array(b).set([1, 2, 3, 4, 5, 6, 7, 8]);
const src = { auto: new Uint8Array(b), off: new Uint16Array(b, 2), fixed: new Uint8Array(b, 0, 8), part: new Uint8Array(b, 2, 3), dv: new DataView(b), dvf: new DataView(b, 4, 4) };
const c = structuredClone(src);
const before = [c.auto.length, c.off.length, c.fixed.length, c.part.length, c.dv.byteLength, c.dvf.byteLength];
c.auto.buffer.resize(12);
return [before, [c.auto.length, c.off.length, c.fixed.length, c.part.length, c.dv.byteLength, c.dvf.byteLength], [...c.auto], b.byteLength, [...new Uint8Array(b)]];
