const c = structuredClone(Object.freeze({ a: Object.freeze([1]) }));
c.a.push(2); c.b = 1;
return [c, Object.isFrozen(c), Object.isSealed(c)];
