const rows = Array.from({ length: 3000 }, (_, i) => ({ id: i, name: 'row ' + i, tags: [i % 3, String(i)], nested: { ok: i % 2 === 0 } }));
const c = structuredClone(rows);
return [JSON.stringify(c) === JSON.stringify(rows), c[5] !== rows[5]];
