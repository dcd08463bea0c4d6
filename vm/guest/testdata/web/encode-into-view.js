const buf = new Uint8Array(10).fill(7);
const r = new TextEncoder().encodeInto('héllo', buf.subarray(2, 6));
return [r, [...buf], Object.keys(r)];
