const out = [];
for (const T of [Int8Array, Uint8Array, Uint8ClampedArray, Int16Array, Uint16Array, Int32Array, Uint32Array, Float32Array, Float64Array]) { const c = structuredClone(new T([1, 2, 250])); out.push([c.constructor.name, [...c], c.byteOffset]); }
const big = structuredClone(new BigInt64Array([1n, -2n])), ubig = structuredClone(new BigUint64Array([5n]));
return [out, [...big].map(String), [...ubig].map(String)];
