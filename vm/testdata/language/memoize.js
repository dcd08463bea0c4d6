const memo = (f, c = new Map()) => (n) => c.has(n) ? c.get(n) : (c.set(n, f(n)), c.get(n));
const fib = memo((n) => n < 2 ? n : fib(n - 1) + fib(n - 2));
return fib(70);
// => 190392490709135
