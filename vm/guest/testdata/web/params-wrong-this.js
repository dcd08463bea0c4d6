const p = URLSearchParams.prototype;
const out = [];
for (const k of ['append', 'delete', 'get', 'getAll', 'has', 'set', 'sort', 'entries', 'forEach', 'keys', 'values', 'toString']) { try { p[k].call({}, 'a', 'b'); out.push('no'); } catch (e) { out.push(e.name); } }
try { p.size; out.push('no'); } catch (e) { out.push(e.name); }
return out;
