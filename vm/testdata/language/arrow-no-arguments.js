function f() { return (() => arguments.length)(1, 2, 3); }
return f('a');
// => 1
