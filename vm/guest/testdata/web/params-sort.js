const q = new URLSearchParams('z=1&a=2&z=0&b=3&a=1&\u{1f600}=x&\uffff=y&é=z&A=q&10=n&9=m&aa=k');
q.sort();
return [...q];
