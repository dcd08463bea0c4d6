const ids = [1, 2, 3];
const rows = await Promise.all(ids.map(async (id) => ({ id, ok: id > 1 })));
return rows.findLast((r) => r.ok).id;
// => 3
