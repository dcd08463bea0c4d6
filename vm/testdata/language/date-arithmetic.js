const d = new Date(2024, 0, 31);
d.setMonth(1);
const e = new Date('2024-01-01'); e.setDate(0);
return [d.toISOString(), e.toISOString(), new Date(2024, 0, 1) - new Date(2023, 0, 1), new Date(NaN).getTime()];
// => ["2024-03-02T00:00:00.000Z","2023-12-31T00:00:00.000Z",31536000000,null]
