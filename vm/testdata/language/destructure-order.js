const log = [];
const src = { get a() { log.push('a'); }, get b() { log.push('b'); } };
const { b = log.push('db'), a = log.push('da') } = src;
return log;
// => ["b","db","a","da"]
