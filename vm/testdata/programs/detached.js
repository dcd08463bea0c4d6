const log = [];
(async () => { for (let i = 0; i < 3; i++) { await tools.callValue('bg', { i }).catch(() => 0); log.push(i); } text(log); })();
setTimeout(() => { log.push('timer'); null.x; }, 3);
Promise.reject(new Error('nobody'));
return 'first';
