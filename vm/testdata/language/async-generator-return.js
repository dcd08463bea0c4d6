const log = [];
async function* g() { try { yield 1; yield 2; } finally { log.push('cleanup'); } }
for await (const v of g()) { log.push(v); break; }
return log;
// => [1,"cleanup"]
