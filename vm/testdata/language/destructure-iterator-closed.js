let closed = 0;
const it = { [Symbol.iterator]() { return { next: () => ({ value: 1, done: false }), return() { closed++; return {}; } }; } };
const [x, y] = it;
return [x, y, closed];
// => [1,1,1]
