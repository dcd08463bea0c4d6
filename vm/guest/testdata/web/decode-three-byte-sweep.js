const d = new TextDecoder();
const edge = [0x41, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc2, 0xe0, 0xed, 0xf0, 0xf4];
let h = 0;
for (const a of edge) for (const b of edge) for (const c of edge) for (const e of edge) { const s = d.decode(new Uint8Array([a, b, c, e])); h = (h * 33 + s.length) >>> 0; for (let i = 0; i < s.length; i++) h = (h * 31 + s.charCodeAt(i)) >>> 0; }
return h;
