const a = new URLSearchParams('a=1&b=2');
const b = new URLSearchParams(a);
b.append('c', '3'); a.delete('a');
return [a.toString(), b.toString()];
