return await [1, 2, 3].reduce(async (acc, x) => (await acc) + x, Promise.resolve(0));
// => 6
