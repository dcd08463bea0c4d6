let s = '';
for (let c = 0x20; c < 0x7f; c++) if (!'#?/\\%^'.includes(String.fromCharCode(c))) s += String.fromCharCode(c);
return [new URL('http://h/' + s).pathname, new URL('foo://h/' + s).pathname, new URL('foo:' + s + 'x').pathname];
