const o = Object.freeze({ a: { b: 1 } });
o.a.b = 2; o.c = 3;
let strict;
(() => { 'use strict'; try { o.c = 1; } catch (e) { strict = e.name; } })();
return [o, Object.isFrozen(o), strict];
// => [{"a":{"b":2}},true,"TypeError"]
