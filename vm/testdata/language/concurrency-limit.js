let running = 0, peak = 0;
const job = async (i) => { running++; peak = Math.max(peak, running); await null; await null; running--; return i; };
const out = [];
const queue = [1, 2, 3, 4, 5];
await Promise.all([0, 1].map(async () => { while (queue.length) out.push(await job(queue.shift())); }));
return [out.sort(), peak];
// => [[1,2,3,4,5],2]
