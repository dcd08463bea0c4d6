const log = [];
const p = new Proxy({ a: 1 }, { get(t, k, r) { log.push('get ' + String(k)); return Reflect.get(t, k, r); }, has(t, k) { log.push('has ' + k); return k in t; }, deleteProperty(t, k) { log.push('del ' + k); return delete t[k]; }, set(t, k, v) { log.push('set ' + k); t[k] = v; return true; } });
p.a; 'b' in p; delete p.a; p.c = 1;
return log;
// => ["get a","has b","del a","set c"]
