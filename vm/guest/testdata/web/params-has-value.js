const q = new URLSearchParams('a=1&a=2&b=');
return [q.has('a', '1'), q.has('a', '3'), q.has('b', ''), q.has('a', undefined), q.has('a', 2), q.has('b', null)];
