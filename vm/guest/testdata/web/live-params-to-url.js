const u = new URL('http://h/?a=1&b=2#f');
const out = [];
u.searchParams.append('c', 'x y'); out.push(u.href);
u.searchParams.set('a', '&='); out.push(u.search);
u.searchParams.delete('b'); out.push(u.href);
u.searchParams.sort(); out.push(u.href);
for (const k of [...u.searchParams.keys()]) u.searchParams.delete(k);
out.push(u.href, u.search);
return out;
