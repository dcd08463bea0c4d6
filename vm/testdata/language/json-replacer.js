return [JSON.stringify({ a: 1, b: [2, { a: 3 }] }, ['a', 'b']), JSON.stringify({ a: 1, b: 'x' }, (k, v) => typeof v === 'number' ? v + 1 : v)];
// => ["{\"a\":1,\"b\":[2,{\"a\":3}]}","{\"a\":2,\"b\":\"x\"}"]
