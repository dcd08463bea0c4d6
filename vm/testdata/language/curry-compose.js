const compose = (...f) => (x) => f.reduceRight((a, g) => g(a), x);
const curry = (f) => function c(...a) { return a.length >= f.length ? f(...a) : (...b) => c(...a, ...b); };
return [compose((x) => x + 1, (x) => x * 2)(5), curry((a, b, c) => a + b + c)(1)(2)(3)];
// => [11,6]
