let s = '';
for (let c = 0x21; c < 0x7f; c++) s += String.fromCharCode(c);
return [new URL('http://h/#' + s).hash, new URL('foo:x#' + s).hash];
