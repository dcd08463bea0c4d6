const u = new URL('mailto:x?subject=hi');
u.searchParams.append('body', 'a b');
return [u.href, u.searchParams.get('subject')];
