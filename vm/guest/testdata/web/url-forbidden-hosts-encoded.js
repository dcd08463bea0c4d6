const out = [];
for (let c = 0; c < 128; c++) {
  const h = 'a%' + (c < 16 ? '0' : '') + c.toString(16) + 'b';
  let r;
  try { r = new URL('http://' + h + '/').host; } catch (e) { r = e.name; }
  out.push(r);
}
return out;
