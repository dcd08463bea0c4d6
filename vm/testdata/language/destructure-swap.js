let a = 1, b = 2;
[a, b] = [b, a];
return [a, b];
// => [2,1]
