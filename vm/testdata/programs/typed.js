const bytes = new Uint8Array(5000), view = new DataView(bytes.buffer), f = new Float64Array(64);
for (let i = 0; i < bytes.length; i++) bytes[i] = (i * 31) & 255;
for (let i = 0; i < f.length; i++) f[i] = Math.sqrt(i);
await tools.callValue('bytes', { head: bytes.subarray(0, 4) }).catch(() => 0);
view.setUint32(8, 0xdeadbeef);
await tools.describe('f').catch(() => 0);
return [bytes.slice(6, 14), f.at(-1), view.getFloat32(8), bytes.reduce((a, b) => (a * 33 + b) | 0, 7)];
