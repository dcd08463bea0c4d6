const d = new TextDecoder();
let h = 0; const out = [];
for (let a = 0x78; a < 256; a++) { for (let b = 0; b < 256; b++) { const s = d.decode(new Uint8Array([a, b, 0x2e])); for (let i = 0; i < s.length; i++) h = (h * 31 + s.charCodeAt(i)) >>> 0; } out.push(h); }
return out;
