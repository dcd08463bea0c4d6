const f = async () => { try { throw 1; } finally { return 'over'; } };
return await f();
// => "over"
