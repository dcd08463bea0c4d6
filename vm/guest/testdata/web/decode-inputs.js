const d = new TextDecoder();
const buf = new Uint8Array([97, 98, 99, 100, 101, 102, 103, 104]).buffer;
return [d.decode(buf), d.decode(new DataView(buf, 2, 3)), d.decode(new Uint8Array(buf, 1, 2)), d.decode(new Uint16Array(buf, 4)), d.decode(new Float64Array(buf)), d.decode(new Int8Array(buf).subarray(6)), d.decode(undefined), d.decode(new ArrayBuffer(0)), d.decode(new BigInt64Array(buf))];
