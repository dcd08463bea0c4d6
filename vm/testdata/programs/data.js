const rows = [];
for (let i = 0; i < 300; i++) rows.push({ id: i, key: 'k' + (i % 7), v: i * 1.5, tags: ['t' + (i % 3), 'u' + (i % 5)] });
await tools.search('rows').catch(() => 0);
const by = Object.groupBy(rows, (r) => r.key);
const map = new Map(rows.map((r) => [r.id, r]));
await tools.callValue('more', { count: map.size }).catch(() => 0);
rows.length = 10;
return [Object.entries(by).map(([k, l]) => [k, l.length, l.reduce((a, r) => a + r.v, 0)]), map.get(299).tags];
