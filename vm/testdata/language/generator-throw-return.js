const log = [];
function* g() { try { yield 1; } catch (e) { log.push('caught ' + e); yield 2; } finally { log.push('finally'); } }
const a = g(); a.next(); const t = a.throw('x'); const r = a.return(9);
return [t, r, log, a.next()];
// => [{"value":2,"done":false},{"value":9,"done":true},["caught x","finally"],{"done":true}]
