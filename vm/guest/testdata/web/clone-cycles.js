const a = { name: 'a' }; a.self = a; a.list = [a, { a }];
const c = structuredClone(a);
const l = []; l.push(l);
const m = new Map(); m.set('m', m); m.set(m, 1);
const s = new Set(); s.add(s);
const cm = structuredClone(m), cs = structuredClone(s), cl = structuredClone(l);
return [c.self === c, c.list[0] === c, c.list[1].a === c, c !== a, cl[0] === cl, cm.get('m') === cm, cm.get(cm), cs.has(cs), cs !== s];
