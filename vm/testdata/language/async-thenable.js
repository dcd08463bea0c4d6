return await { then(ok) { ok('thenable'); } };
// => "thenable"
