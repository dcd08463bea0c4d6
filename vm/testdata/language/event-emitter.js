class E { #h = {}; on(k, f) { (this.#h[k] ??= []).push(f); return () => { this.#h[k] = this.#h[k].filter((x) => x !== f); }; } emit(k, ...a) { return (this.#h[k] ?? []).map((f) => f(...a)); } }
const e = new E(); const off = e.on('x', (v) => v * 2); e.on('x', (v) => v + 1);
const first = e.emit('x', 5); off();
return [first, e.emit('x', 5), e.emit('y')];
// => [[10,6],[6],[]]
