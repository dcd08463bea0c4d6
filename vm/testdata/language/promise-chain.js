return await Promise.resolve(1).then((x) => x + 1).then((x) => { throw x; }).catch((x) => x * 10).finally(() => 'ignored').then((x) => x + 1);
// => 21
