const f = (a, b = a * 2, ...rest) => [a, b, rest];
return [f(1), f(1, undefined, 3, 4)];
// => [[1,2,[]],[1,2,[3,4]]]
