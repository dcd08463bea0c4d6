const q = new URLSearchParams('a=1&b=2');
const out = [];
const self = {};
q.forEach(function (v, k, p) { out.push([v, k, p === q, this === self]); if (k === 'a') q.append('z', '9'); }, self);
let e; try { q.forEach('x'); } catch (x) { e = x.name; }
return [out, e];
