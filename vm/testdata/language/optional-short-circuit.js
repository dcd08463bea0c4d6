let n = 0;
const o = null;
const v = o?.[n++];
return [v ?? null, n];
// => [null,0]
