const log = [];
const f = async () => { try { return await Promise.resolve('v'); } finally { log.push('f'); } };
return [await f(), log];
// => ["v",["f"]]
