const u = new URL('http://h/');
u.searchParams.append('a', '1'); u.search += '&b=2'; u.searchParams.append('c', '3'); u.hash = 'x'; u.searchParams.delete('a');
const v = new URL(u);
v.searchParams.set('b', 'other');
return [u.href, v.href, [...u.searchParams]];
