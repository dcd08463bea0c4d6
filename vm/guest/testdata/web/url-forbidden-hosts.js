const out = [];
for (let c = 0; c < 128; c++) {
  if (c === 0x5e) continue;
  const h = 'a' + String.fromCharCode(c) + 'b';
  let r;
  try { r = new URL('http://' + h + '/').host; } catch (e) { r = e.name; }
  let n;
  try { n = new URL('foo://' + h + '/').host; } catch (e) { n = e.name; }
  out.push([c, r, n]);
}
return out;
