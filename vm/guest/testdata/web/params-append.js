const q = new URLSearchParams();
q.append('a', 1); q.append('a', null); q.append('é', undefined); q.append('', ''); q.append('\ud800', '\udc00');
return [q.toString(), [...q]];
