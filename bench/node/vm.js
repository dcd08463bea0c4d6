// One cell in quickjs-wasi as a gateway would run it: a VM for each cell from a compiled module, with a memory
// limit, a deadline, and a host function for requests.
import { readFileSync } from 'node:fs';
import { QuickJS } from 'quickjs-wasi';

const guest = readFileSync(new URL('guest.js', import.meta.url), 'utf8');

export class CellVM {
  requests = [];
  result = undefined;

  options(wasm) {
    const deadline = Date.now() + 60_000;
    return { wasm, memoryLimit: 64 << 20, interruptHandler: () => Date.now() > deadline };
  }

  hostFunctions() {
    return {
      hostRequest: (id, payload) => {
        this.requests.push({ id: id.toNumber(), payload: payload.toString() });
        return this.vm.undefined;
      },
      hostDone: (text) => {
        this.result = text.toString();
        return this.vm.undefined;
      },
    };
  }

  static async create(wasm) {
    const cell = new CellVM();
    cell.vm = await QuickJS.create(cell.options(wasm));
    for (const [name, fn] of Object.entries(cell.hostFunctions())) {
      const handle = cell.vm.newFunction(name, fn);
      cell.vm.setProp(cell.vm.global, name, handle);
      handle.dispose();
    }
    cell.vm.evalCode(guest, 'guest.js').dispose();
    return cell;
  }

  run(code) {
    this.vm.evalCode(`run(async function(){\n${code}\n})`, 'cell.js').dispose();
    this.vm.executePendingJobs();
  }

  settle(id, text) {
    const { vm } = this;
    const fn = vm.global.getProp('settle');
    const number = vm.newNumber(id);
    const value = vm.newString(text);
    vm.callFunction(fn, vm.undefined, number, value).dispose();
    for (const handle of [fn, number, value]) handle.dispose();
    vm.executePendingJobs();
  }

  suspend() {
    return QuickJS.serializeSnapshot(this.vm.snapshot());
  }

  static async resume(wasm, bytes) {
    const cell = new CellVM();
    cell.vm = await QuickJS.restore(QuickJS.deserializeSnapshot(bytes), cell.options(wasm));
    for (const [name, fn] of Object.entries(cell.hostFunctions())) cell.vm.registerHostCallback(name, fn);
    return cell;
  }

  dispose() {
    this.vm.dispose();
  }
}
