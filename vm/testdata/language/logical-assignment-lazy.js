let calls = 0;
const set = () => { calls++; return 1; };
let a = 1, b = 0, c = 2;
a ||= set(); b &&= set(); c ??= set();
return [a, b, c, calls];
// => [1,0,2,0]
