try { JSON.stringify({ a: 1n }); } catch (e) { return e instanceof TypeError; }
// => true
