const o = { _v: 1, get v() { return this._v * 2; }, set v(x) { this._v = x; } };
o.v = 5;
return [o.v, o._v];
// => [10,5]
