const e = new Error('outer', { cause: { deep: new TypeError('inner') } });
const c = structuredClone(e);
return [c.cause.deep instanceof TypeError, c.cause.deep.message, c.cause !== e.cause, Object.keys(c), typeof c.stack, structuredClone(new Error('x')).cause === undefined];
