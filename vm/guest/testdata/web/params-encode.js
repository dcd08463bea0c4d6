let s = '';
for (let c = 0; c < 256; c++) s += String.fromCharCode(c);
return new URLSearchParams([[s, s + '😀']]).toString();
