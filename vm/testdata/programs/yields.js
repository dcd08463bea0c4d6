text('one');
const y = await yield_control('pause').catch((e) => e.message);
text(y);
const [a, b] = await Promise.allSettled([yield_control(), tools.callValue('x')]);
return [a.status, b.status];
