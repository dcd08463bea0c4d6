var x = 1;
eval('var y = x + 1');
return [y, eval('x * 10'), (0, eval)('typeof x')];
// => [2,10,"undefined"]
