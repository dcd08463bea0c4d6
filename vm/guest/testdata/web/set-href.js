const u = new URL('http://h/a?b#c');
const q = u.searchParams;
u.href = 'https://x:9/?k=v';
let e; try { u.href = 'bad'; } catch (x) { e = x.name; }
return [u.href, u.searchParams === q, q.get('k'), q.get('b'), e];
