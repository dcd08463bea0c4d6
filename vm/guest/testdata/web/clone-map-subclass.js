class M extends Map { constructor(x) { super(x); this.tag = 1; } }
const m = new M([[1, 2]]);
const c = structuredClone(m);
return [c instanceof Map, c instanceof M, c.tag === undefined, [...c], Object.getPrototypeOf(c) === Map.prototype];
