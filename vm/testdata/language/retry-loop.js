let n = 0;
const flaky = async () => { if (++n < 3) throw new Error('try ' + n); return 'ok ' + n; };
let last;
for (let i = 0; i < 5; i++) { try { last = await flaky(); break; } catch (e) { last = e.message; } }
return [last, n];
// => ["ok 3",3]
