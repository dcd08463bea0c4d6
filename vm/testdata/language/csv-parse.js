const csv = 'name,age\n"Smith, J",42\nAnn,7';
const rows = csv.split('\n').map((l) => [...l.matchAll(/("([^"]*)"|[^,]+)/g)].map((m) => m[2] ?? m[1]));
return rows.slice(1).map((r) => Object.fromEntries(rows[0].map((k, i) => [k, r[i]])));
// => [{"name":"Smith, J","age":"42"},{"name":"Ann","age":"7"}]
