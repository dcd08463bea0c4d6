return await Promise.race([new Promise(() => {}), Promise.resolve('fast')]);
// => "fast"
