const b = new ArrayBuffer(4, { maxByteLength: 8 });
const v = new Uint8Array(b, 2);
b.resize(1);
return new TextDecoder().decode(v);
