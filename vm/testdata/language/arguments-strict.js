function f(a) { 'use strict'; arguments[0] = 9; return a; }
return f(1);
// => 1
