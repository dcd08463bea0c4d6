return [typeof f, typeof v, f()];
var v = 1;
function f() { return 'hoisted'; }
// => ["function","undefined","hoisted"]
