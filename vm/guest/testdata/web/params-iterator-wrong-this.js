const it = new URLSearchParams('a=1').keys();
const out = [];
for (const t of [{}, undefined, new URLSearchParams()]) { try { it.next.call(t); out.push('no'); } catch (e) { out.push(e.name); } }
return out;
