const { promise, resolve } = Promise.withResolvers();
resolve('w');
return await promise;
// => (not in Node 20) "w"
