const o = JSON.parse('{"__proto__": {"x": 1}, "constructor": 2, "toString": 3}');
const c = structuredClone(o);
return [Object.keys(c), Object.getPrototypeOf(c) === Object.prototype, Object.hasOwn(c, '__proto__'), c.x === undefined, c.constructor];
