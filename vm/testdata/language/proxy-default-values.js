const d = new Proxy({}, { get: (t, k) => k in t ? t[k] : `default_${String(k)}` });
d.x = 1;
return [d.x, d.y];
// => [1,"default_y"]
