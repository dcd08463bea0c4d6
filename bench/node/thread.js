// One thread for one cell, which ends with it.
import { parentPort, workerData } from 'node:worker_threads';
import { CellVM } from './vm.js';

const cell = await CellVM.create(workerData.wasm);
cell.run(workerData.code);
const { result } = cell;
cell.dispose();
parentPort.postMessage(result);
