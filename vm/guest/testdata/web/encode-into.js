const e = new TextEncoder();
const out = [];
for (const s of ['', 'abc', 'aé', '日本', '😀', 'a😀b', '\ud800x', 'x\ud83d', 'é😀日']) for (let n = 0; n <= 9; n++) {
  const d = new Uint8Array(n).fill(255);
  const r = e.encodeInto(s, d);
  out.push([r.read, r.written, [...d]]);
}
return out;
