const b = new ArrayBuffer(4, { maxByteLength: 8 });
b.resize(8);
const c = b.slice(2, 6);
return [b.byteLength, b.resizable, c.byteLength, ArrayBuffer.isView(new DataView(b))];
// => [8,true,4,true]
