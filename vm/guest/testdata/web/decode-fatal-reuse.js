const d = new TextDecoder('utf-8', { fatal: true });
const out = [];
for (const b of [[97], [255], [98], [0xc3], [0xc3, 0xa9]]) { try { out.push(d.decode(new Uint8Array(b))); } catch (e) { out.push(e.name); } }
return out;
