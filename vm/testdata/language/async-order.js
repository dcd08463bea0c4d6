const log = [];
const p = (async () => { log.push(1); await null; log.push(3); })();
log.push(2);
await p;
return log;
// => [1,2,3]
