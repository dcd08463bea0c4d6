for (const k of ['0', '1', 'name', 'value', 'list', 'scheme', 'host', 'path', 'query', 'frames']) Object.defineProperty(Object.prototype, k, { configurable: true, get() { return undefined; }, set() {} });
const src = { name: 'n', value: [1, 2], m: new Map([[1, 2]]) };
let out;
try {
  const u = new URL('http://u@h:8/a/b?c=d#e');
  u.searchParams.append('x', 'y');
  const c = structuredClone(src);
  const t = new TextDecoder().decode(new TextEncoder().encode('é\ud800'));
  out = [u.href, c.name, c.value[1], c.m.get(1), t, u.searchParams.getAll('x').length];
} finally {
  for (const k of ['0', '1', 'name', 'value', 'list', 'scheme', 'host', 'path', 'query', 'frames']) delete Object.prototype[k];
}
return out;
