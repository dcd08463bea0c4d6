function f(a) { arguments[0] = 9; return [a, arguments.length, Array.from(arguments)]; }
return f(1, 2);
// => [9,2,[9,2]]
