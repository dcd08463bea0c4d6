const log = [];
Promise.resolve().then(() => log.push('a')).then(() => log.push('c'));
queueMicrotask(() => log.push('b'));
await new Promise((r) => setTimeout(r, 0));
return log;
// => ["a","b","c"]
