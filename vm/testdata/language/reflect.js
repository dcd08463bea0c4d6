const o = { a: 1 };
return [Reflect.has(o, 'a'), Reflect.ownKeys({ b: 1, 1: 1 }), Reflect.set(Object.freeze({}), 'x', 1), Reflect.construct(Array, [3]).length, Reflect.getPrototypeOf([]) === Array.prototype];
// => [true,["1","b"],false,3,true]
