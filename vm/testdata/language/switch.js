const f = (x) => { switch (x) { case 1: case 2: return 'low'; default: return 'other'; case 3: { const y = 'three'; return y; } } };
return [1, 2, 3, 4].map(f);
// => ["low","low","three","other"]
