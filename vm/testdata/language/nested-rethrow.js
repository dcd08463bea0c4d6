const log = [];
try { try { throw 1; } catch (e) { log.push(e); throw e + 1; } finally { log.push('f'); } } catch (e) { log.push(e); }
return log;
// => [1,"f",2]
