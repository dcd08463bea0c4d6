let s = '';
for (let c = 0; c < 256; c++) s += '%' + (c < 16 ? '0' : '') + c.toString(16).toUpperCase();
return [...new URLSearchParams('x=' + s)];
