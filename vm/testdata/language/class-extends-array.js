class Stack extends Array { peek() { return this.at(-1); } }
const s = Stack.from([1, 2, 3]);
return [s.peek(), s.map((x) => x * 2) instanceof Stack, s.length, Array.isArray(s)];
// => [3,true,3,true]
