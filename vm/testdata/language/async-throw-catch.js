const f = async () => { throw new TypeError('bad'); };
return await f().catch((e) => [e.name, e.message]);
// => ["TypeError","bad"]
