const q = new URLSearchParams('a=1&a=2&a=1&b=1&a=3');
q.delete('a', '1'); const one = q.toString();
q.delete('a', 9); q.delete('b', undefined); const two = q.toString();
q.delete('a'); return [one, two, q.toString(), q.size];
