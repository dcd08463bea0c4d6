async function* pages() {
  let cursor = 0;
  while (cursor < 5) {
    let page;
    try { page = await tools.callValue('page', { cursor }); } catch (e) { page = { n: -1, error: e.message }; }
    yield page.n;
    cursor++;
  }
}
const seen = [];
for await (const n of pages()) seen.push(n);
function* fib() { let [a, b] = [0n, 1n]; for (;;) { yield a; [a, b] = [b, a + b]; } }
const f = fib();
const firsts = [];
for (let i = 0; i < 90; i++) firsts.push(f.next().value);
await tools.describe('x').catch(() => 0);
return [seen, firsts.at(-1), f.next().value];
