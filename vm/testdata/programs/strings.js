let s = '';
for (let i = 0; i < 400; i++) s += String.fromCodePoint(0x1f600 + i % 80) + 'é' + i;
await tools.callValue('text', { s: s.slice(0, 50) }).catch(() => 0);
const parts = s.split('é');
await tools.describe('t').catch(() => 0);
return [s.length, [...s].length, parts.length, parts.at(-1), s.normalize('NFD').length, new TextEncoder().encode(s).length];
