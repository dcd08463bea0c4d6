const calls = [1, 2, 3, 4].map((i) => tools.callValue('r' + i).then((v) => ['won', i, v.n], (e) => ['lost', i, e.message]));
text(await Promise.race(calls));
const any = await Promise.any(calls);
return [any, await Promise.all(calls)];
