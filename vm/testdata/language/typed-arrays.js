const u = new Uint8Array([1, 256, -1, 3.7]);
return [u, u.subarray(1, 3), new Uint8ClampedArray([300, -5, 1.5]), new Int16Array([40000]), new Float32Array([1.1])[0] === 1.1, new BigInt64Array([5n]), Uint8Array.from('123')];
// => [[1,0,255,3],[0,255],[255,0,2],[-25536],false,["5"],[1,2,3]]
