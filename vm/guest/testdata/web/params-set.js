const q = new URLSearchParams('a=1&b=2&a=3&c=4&a=5');
q.set('a', 'x'); const one = q.toString();
q.set('n', 'new'); q.set('b', 7);
return [one, q.toString()];
