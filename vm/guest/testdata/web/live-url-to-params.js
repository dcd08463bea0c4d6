const u = new URL('http://h/?a=1');
const q = u.searchParams;
u.search = '?b=2&b=3';
const one = [...q];
u.href = 'http://x/?z=%20+';
const two = [...q];
u.search = '';
return [one, two, [...q], q.size, u.searchParams === q];
