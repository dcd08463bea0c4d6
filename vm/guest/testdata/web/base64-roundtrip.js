let bad = 0;
for (let n = 0; n < 100; n++) { let s = ''; for (let i = 0; i < n; i++) s += String.fromCharCode((i * 37 + n * 11) & 255); if (atob(btoa(s)) !== s || atob(btoa(s).replace(/=+$/, '')) !== s) bad++; }
return bad;
