const o = { a: 0, b: null, c: 5 };
o.a ||= 1; o.b ??= 2; o.c &&= 3; o.d ??= 4;
return o;
// => {"a":1,"b":2,"c":3,"d":4}
