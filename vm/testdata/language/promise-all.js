try { await Promise.all([1, Promise.reject(new Error('x')), 3]); } catch (e) { return [e.message, await Promise.all([]), await Promise.all([1, Promise.resolve(2)])]; }
// => ["x",[],[1,2]]
