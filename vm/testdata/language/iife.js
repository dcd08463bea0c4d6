return (function fact(n) { return n < 2 ? 1 : n * fact(n - 1); })(10);
// => 3628800
