async function* ag() {}
function* g() {}
const out = [];
for (const v of [() => {}, function f() {}, class A {}, Symbol('s'), Object(Symbol('t')), Promise.resolve(1), new WeakMap(), new WeakSet(), new WeakRef({}), g(), [].values(), new Map().entries(), new FinalizationRegistry(() => {})]) { try { structuredClone(v); out.push('ok'); } catch (e) { out.push([e.name, e.code, e instanceof DOMException]); } }
return out;
