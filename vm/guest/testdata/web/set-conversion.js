const u = new URL('http://h/');
u.pathname = { toString: () => '/obj' };
u.search = 5; u.hash = null; u.port = 7.9;
let e; try { u.host = Symbol('s'); } catch (x) { e = x.name; }
return [u.href, e];
