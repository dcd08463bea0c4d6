return await Promise.resolve(7).then(null).then(5);
// => 7
