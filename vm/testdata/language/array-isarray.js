return [Array.isArray([]), Array.isArray({ length: 0 }), Array.isArray(new Proxy([], {})), Array.isArray(Array.prototype)];
// => [true,false,true,true]
