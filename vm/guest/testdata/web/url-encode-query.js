let s = '';
for (let c = 0x21; c < 0x7f; c++) if (c !== 0x23) s += String.fromCharCode(c);
return [new URL('http://h/?' + s).search, new URL('foo://h/?' + s).search, new URL('foo:x?' + s).search];
