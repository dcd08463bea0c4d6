const src = { a: 1, b: { c: [1, 2, { d: 'x' }] }, e: null, f: undefined, 1: 'one' };
const c = structuredClone(src);
return [c, c !== src, c.b !== src.b, c.b.c !== src.b.c, Object.keys(c), 'f' in c];
