const a = [1, , 3]; a.extra = 'x';
const c = structuredClone(a);
const t = structuredClone([1, 2, , ,]);
return [c.length, 1 in c, c.extra, Object.keys(c), Array.isArray(c), structuredClone([]).length, t.length, Object.keys(t), structuredClone(new Array(5)).length, structuredClone([[1], [2, [3]]])];
