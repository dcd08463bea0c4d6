const u = new URL('http://a');
u.protocol = 'https'; u.host = 'b.c:9'; u.username = 'x'; u.password = 'y'; u.pathname = '/p/../q'; u.search = 'z=1'; u.hash = 'h';
const one = u.href;
u.port = ''; u.username = ''; u.password = ''; u.search = ''; u.hash = '';
return [one, u.href];
