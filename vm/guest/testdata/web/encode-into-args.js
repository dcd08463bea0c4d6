const e = new TextEncoder();
const out = [];
for (const d of [undefined, null, [], new ArrayBuffer(3), new Uint16Array(3), new Uint8ClampedArray(3), 'x', {}]) { try { e.encodeInto('a', d); out.push('ok'); } catch (x) { out.push(x.name); } }
return out;
