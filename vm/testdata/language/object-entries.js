return [Object.entries({ a: 1, b: 2 }), Object.fromEntries([['x', 1], ['y', 2]]), Object.values('ab')];
// => [[["a",1],["b",2]],{"x":1,"y":2},["a","b"]]
