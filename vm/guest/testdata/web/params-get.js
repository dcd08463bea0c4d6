const q = new URLSearchParams('a=1&b=2&a=3&c');
return [q.get('a'), q.get('x'), q.get('c'), q.getAll('a'), q.getAll('x'), q.has('a'), q.has('x'), q.size, q.get('A')];
