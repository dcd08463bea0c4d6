const m = new Map([[1, 'a'], ['k', { v: 1 }], [{ o: 1 }, [2]], [NaN, 0], [undefined, null]]);
const c = structuredClone(m);
const s = structuredClone(new Set([3, 'x', { y: 1 }, 3, 2, 1]));
return [c instanceof Map, [...c], c.get('k') !== m.get('k'), s instanceof Set, [...s]];
