let n = 0;
const o = { get x() { return ++n; } };
const copy = { ...o };
return [copy.x, copy.x, o.x];
// => [1,1,2]
