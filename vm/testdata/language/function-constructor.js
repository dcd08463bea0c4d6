return [new Function('a', 'b', 'return a + b')(2, 3), Function('return this')() === globalThis];
// => [5,true]
