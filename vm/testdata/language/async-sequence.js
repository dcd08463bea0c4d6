const sleep = (ms, v) => new Promise((r) => setTimeout(r, ms, v));
const out = [];
for (const n of [3, 1, 2]) out.push(await sleep(n, n));
return out;
// => [3,1,2]
