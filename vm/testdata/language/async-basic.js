const f = async (x) => x + 1;
return [await f(1), await (await f(2)), f(1) instanceof Promise];
// => [2,3,true]
