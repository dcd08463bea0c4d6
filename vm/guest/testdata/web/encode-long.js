const e = new TextEncoder();
const out = [];
for (const unit of ['a', 'é', '日', '😀', 'a😀', 'aé日😀']) {
  const s = unit.repeat(70000 / unit.length | 0);
  const b = e.encode(s);
  let h = 0; for (const x of b) h = (h * 31 + x) >>> 0;
  out.push([b.length, h, new TextDecoder().decode(b) === s]);
}
return out;
