// Runs every program of a folder (*.js, each the body of an async function)
// with Node's own globals and prints one JSON object: name of the program to
// its value, or to {"threw": "<name of the error>"}. No value is null.
//
//   node compare.mjs web
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const AsyncFunction = (async () => {}).constructor;
const folder = process.argv[2];
const results = {};
for (const file of readdirSync(folder).sort()) {
  if (!file.endsWith('.js')) continue;
  let value;
  try {
    value = await new AsyncFunction(readFileSync(join(folder, file), 'utf8'))();
  } catch (error) {
    value = { threw: error?.name ?? String(error) };
  }
  results[file.slice(0, -3)] = converted(value) ?? null;
}

// What a cell's value becomes where JSON has no form of its own (contract 5.12).
function converted(v) {
  if (typeof v === 'bigint') return String(v);
  if (Array.isArray(v) || (ArrayBuffer.isView(v) && !(v instanceof DataView))) return Array.from(v, converted);
  if (typeof v !== 'object' || v === null || Object.getPrototypeOf(v) !== Object.prototype) return v;
  return Object.fromEntries(Object.entries(v).map(([key, value]) => [key, converted(value)]));
}

process.stdout.write(`${JSON.stringify(results)}\n`);
