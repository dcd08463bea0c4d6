const q = new URLSearchParams();
for (let i = 0; i < 200; i++) q.append('k' + (i % 7), String(i));
q.sort();
return q.toString();
