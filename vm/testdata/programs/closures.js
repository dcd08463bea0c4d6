const counters = {};
const make = (name) => { let n = 0; return { up: () => ++n, get value() { return name + n; } }; };
for (const k of ['a', 'b', 'c']) counters[k] = make(k);
const weak = new WeakMap(), refs = [];
for (const k in counters) { weak.set(counters[k], k); refs.push(new WeakRef(counters[k])); }
for (let i = 0; i < 4; i++) {
  await tools.callValue('tick', { i }).then(() => counters.a.up(), () => counters.b.up());
  counters.c.up();
}
return [Object.values(counters).map((c) => c.value), refs.map((r) => weak.get(r.deref()))];
