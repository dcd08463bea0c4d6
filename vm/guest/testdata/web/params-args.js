const q = new URLSearchParams('a=1');
const out = [];
for (const f of [() => q.append('x'), () => q.append(), () => q.delete(), () => q.get(), () => q.getAll(), () => q.has(), () => q.set('x'), () => q.forEach(), () => URLSearchParams(), () => q.get(Symbol('s'))]) { try { out.push(f()); } catch (e) { out.push(e.name); } }
return [out, q.toString()];
