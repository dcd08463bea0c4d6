const out = [Math.random()];
await tools.search('a').catch(() => 0);
out.push(Math.random());
const shuffle = [1, 2, 3, 4, 5, 6].map((v) => [Math.random(), v]).sort((a, b) => a[0] - b[0]).map((p) => p[1]);
await tools.describe('b').catch(() => 0);
return [out, shuffle, Date.now(), Math.random()];
