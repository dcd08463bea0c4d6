return await Promise.all([1, 2, 3].map(async (x) => x * 2));
// => [2,4,6]
