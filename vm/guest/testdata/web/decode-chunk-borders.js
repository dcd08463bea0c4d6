const out = [];
for (const n of [65532, 65533, 65534, 65535, 65536]) for (const t of [[0xf0, 0x9f, 0x98, 0x80], [0xe2, 0x82, 0xac], [0xc3, 0xa9], [0xf0, 0x9f, 0x41], [0xe0, 0x80, 0x80], [0xef, 0xbb, 0xbf], [0x80, 0x80, 0x80]]) {
  const b = new Uint8Array(n + t.length + 1).fill(97); b.set(t, n);
  const s = new TextDecoder().decode(b);
  out.push([s.length, [...s.slice(n - 1)].map((c) => c.codePointAt(0))]);
}
return out;
