const b = new Uint8Array([1, 2, 3, 4]).buffer;
const c = structuredClone(b);
new Uint8Array(c)[0] = 9;
return [c instanceof ArrayBuffer, c.byteLength, [...new Uint8Array(c)], [...new Uint8Array(b)], structuredClone(new ArrayBuffer(0)).byteLength];
