const u = new URL('http://h/?a=b c&d=%zz&é');
const before = u.search;
const s = u.searchParams.toString();
const between = u.search;
u.searchParams.append('n', '');
return [before, s, between, u.search];
