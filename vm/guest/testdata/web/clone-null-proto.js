const o = Object.create(null); o.a = 1;
const c = structuredClone(o);
return [Object.getPrototypeOf(c) === Object.prototype, c.a, structuredClone(Object.create({ inherited: 1 }, { own: { value: 1, enumerable: true }, hidden: { value: 2 } }))];
