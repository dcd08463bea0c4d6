const out = [];
for (let i = 0; i < 12; i++) {
  try { out.push((await tools.callValue('step', { i })).n); } catch (e) { out.push(e.message); }
}
return out;
