const all = await Promise.allSettled(Array.from({ length: 12 }, (_, i) => tools.call('p', { i, text: 'x'.repeat(i * 10) })));
return all.map((r) => r.status === 'fulfilled' ? r.value.n : r.reason.message);
