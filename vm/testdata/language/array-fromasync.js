async function* g() { yield 1; yield 2; }
return [await Array.fromAsync(g()), await Array.fromAsync([Promise.resolve(3)], (x) => x * 2)];
// => (not in Node 20) [[1,2],[6]]
