const log = [];
const sleep = (ms) => new Promise((r) => setTimeout(r, ms, ms));
const drop = setTimeout(() => log.push('never'), 5);
for (const ms of [30, 10, 20]) sleep(ms).then((v) => log.push([v, Date.now()]));
clearTimeout(drop);
await sleep(1);
await Promise.all([sleep(3), sleep(2)]);
return [log.length <= 3, log];
