const v = new DataView(new ArrayBuffer(8));
v.setInt16(0, -2); v.setUint32(2, 0xdeadbeef, true);
return [v.getUint16(0), v.getUint8(2), v.getUint32(2, true), new Uint8Array(v.buffer)];
// => [65534,239,3735928559,[255,254,239,190,173,222,0,0]]
