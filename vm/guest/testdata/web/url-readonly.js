'use strict';
const u = new URL('http://h/');
const out = [];
for (const k of ['origin', 'searchParams']) { try { u[k] = 'x'; out.push('no'); } catch (e) { out.push(e.name); } }
return [out, u.href];
