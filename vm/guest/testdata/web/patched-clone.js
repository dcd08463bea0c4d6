const saved = [Map.prototype.get, Map.prototype.set, Map.prototype.forEach, Set.prototype.add, Object.keys, Reflect.defineProperty, Date.prototype.getTime, Map.prototype.has];
const bad = () => { throw new Error('patched'); };
const src = { m: new Map([[1, { a: 1 }]]), s: new Set([1]), d: new Date(9), e: new Error('x'), u: new Uint8Array([1]), r: /x/g };
src.self = src;
let c;
try {
  Map.prototype.get = Map.prototype.set = Map.prototype.forEach = Map.prototype.has = Set.prototype.add = Object.keys = Reflect.defineProperty = Date.prototype.getTime = bad;
  c = structuredClone(src);
} finally {
  [Map.prototype.get, Map.prototype.set, Map.prototype.forEach, Set.prototype.add, Object.keys, Reflect.defineProperty, Date.prototype.getTime, Map.prototype.has] = saved;
}
return [c.m.get(1).a, c.s.has(1), c.d.getTime(), c.e.message, c.u[0], c.r.flags, c.self === c];
