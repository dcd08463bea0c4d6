return await new Promise((ok, no) => { ok(1); no(2); ok(3); });
// => 1
