// The guest's side of a gateway: `tools` asks the host and keeps the promise under the request's number; the
// outcome goes out as JSON text. It is smaller than the library of package vm, which favours Node.
(() => {
  const pending = new Map();
  let next = 1;
  const ask = hostRequest, finish = hostDone;
  delete globalThis.hostRequest;
  delete globalThis.hostDone;
  globalThis.tools = {
    callValue: (id, input) => new Promise((resolve, reject) => {
      pending.set(next, { resolve, reject });
      ask(next++, JSON.stringify([id, input]));
    }),
  };
  globalThis.settle = (id, text) => {
    const { resolve } = pending.get(id);
    pending.delete(id);
    resolve(JSON.parse(text));
  };
  globalThis.run = (cell) => {
    cell().then((value) => finish(JSON.stringify(value)), (error) => finish('"' + error + '"'));
  };
})();
