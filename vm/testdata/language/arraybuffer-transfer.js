const b = new ArrayBuffer(4);
const c = b.transfer(2);
return [b.detached, b.byteLength, c.byteLength];
// => (not in Node 20) [true,0,2]
