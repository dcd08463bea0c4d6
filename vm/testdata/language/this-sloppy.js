function f() { return this === globalThis; }
function g() { 'use strict'; return this === undefined; }
return [f(), g()];
// => [true,true]
