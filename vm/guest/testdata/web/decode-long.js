const e = new TextEncoder();
const s = 'x' + '😀日é'.repeat(20000);
const b = e.encode(s);
const bad = b.slice(); bad[100000] = 0xff; bad[65536] = 0xff;
const t = new TextDecoder().decode(bad);
let h = 0; for (let i = 0; i < t.length; i++) h = (h * 31 + t.charCodeAt(i)) >>> 0;
return [new TextDecoder().decode(b) === s, t.length, h];
