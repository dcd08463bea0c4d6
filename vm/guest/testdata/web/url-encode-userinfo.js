let s = '';
for (let c = 0x20; c < 0x7f; c++) if (c !== 0x5e) s += String.fromCharCode(c);
const u = new URL('http://h/');
u.username = s; u.password = s;
return [u.username, u.password, u.href];
