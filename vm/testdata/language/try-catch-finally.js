const f = () => { try { return 'try'; } finally { log.push('f'); } };
const log = [];
return [f(), log];
// => ["try",["f"]]
