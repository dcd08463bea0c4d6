const e = new TextEncoder();
const out = [];
for (const n of [65533, 65534, 65535, 65536, 65537]) for (const t of ['😀', '\ud800', '\udc00', 'é']) {
  const b = e.encode('a'.repeat(n) + t + 'z');
  out.push([b.length, ...b.slice(-6)]);
}
return out;
