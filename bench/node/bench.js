// Reads the plan on standard input, writes what it measured on standard output, both JSON: times in ms.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import { gunzipSync, gzipSync } from 'node:zlib';
import { CellVM } from './vm.js';

const require = createRequire(import.meta.url);
const wasm = await WebAssembly.compile(readFileSync(require.resolve('quickjs-wasi/quickjs.wasm')));
const { cells, answer, want, counts } = JSON.parse(readFileSync(0, 'utf8'));

const times = {};
const bytes = {};

function check(name, got, expected) {
  if (got !== expected) throw new Error(`${name}: got ${got}, want ${expected}`);
}

// measure runs step some times unmeasured and then count times. What prepare gives is not in the time.
async function measure(name, count, prepare, step) {
  times[name] = [];
  const warm = Math.ceil(count / 10);
  for (let i = -warm; i < count; i++) {
    const prepared = await prepare();
    const began = performance.now();
    await step(prepared);
    if (i >= 0) times[name].push(performance.now() - began);
  }
}

const nothing = () => undefined;

async function cell(name) {
  const c = await CellVM.create(wasm);
  c.run(cells[name]);
  for (const { id } of c.requests.splice(0)) c.settle(id, answer);
  c.dispose();
  check(name, c.result, want[name]);
}

function thread() {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('thread.js', import.meta.url), { workerData: { wasm, code: cells.return } });
    let result;
    worker.on('message', (text) => { result = text; });
    worker.on('error', reject);
    worker.on('exit', () => resolve(check('thread', result, want.return)));
  });
}

const parked = await CellVM.create(wasm);
parked.run(cells.call);
const state = parked.suspend();
const stored = gzipSync(state, { level: 1 });
bytes.suspend = state.length;
bytes.store = stored.length;

async function resume(data, settle) {
  const c = await CellVM.resume(wasm, data);
  if (settle) {
    c.settle(1, answer);
    check('resume', c.result, want.call);
  }
  c.dispose();
}

await resume(state, true); // the answer is right
for (const name of ['return', 'call', 'loop']) await measure(name, counts[name], nothing, () => cell(name));
await measure('thread', counts.thread, nothing, thread);
await measure('suspend', counts.suspend, nothing, () => parked.suspend());
await measure('store', counts.store, nothing, () => gzipSync(parked.suspend(), { level: 1 }));
await measure('resume', counts.resume, nothing, () => resume(state));
await measure('load', counts.load, nothing, () => resume(gunzipSync(stored)));
const version = JSON.parse(readFileSync(new URL('node_modules/quickjs-wasi/package.json', import.meta.url))).version;
console.log(JSON.stringify({ times, bytes, versions: { node: process.version, v8: process.versions.v8, quickjsWasi: version } }));
