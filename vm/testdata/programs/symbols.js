const key = Symbol('key'), reg = Symbol.for('shared');
const o = { [key]: 1, [reg]: 2, get [Symbol.toStringTag]() { return 'Odd'; } };
await tools.describe('s').catch(() => 0);
const p = new Proxy(o, { get: (t, k, r) => k === key ? 'trapped' : Reflect.get(t, k, r), has: () => true });
await tools.describe('s').catch(() => 0);
return [p[key], p[reg], 'zzz' in p, String(o), Symbol.for('shared') === reg, key.description];
