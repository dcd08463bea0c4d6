const bytes = new Uint8Array([0x41, 0xe2, 0x82, 0x41, 0xf0, 0x9f, 0xff, 0xed, 0xa0, 0x80, 0xc3, 0xe2, 0x82, 0xac, 0xf0, 0x90, 0x80]);
const out = [];
for (const size of [1, 2, 3, 4, 7]) {
  const d = new TextDecoder();
  let s = '';
  for (let i = 0; i < bytes.length; i += size) s += d.decode(bytes.subarray(i, i + size), { stream: true });
  s += d.decode();
  out.push(s);
}
return out;
