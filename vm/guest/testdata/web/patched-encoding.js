const saved = [globalThis.escape, globalThis.unescape, globalThis.decodeURIComponent, globalThis.atob, globalThis.btoa, Uint8Array.prototype.set, String.fromCharCode];
const bad = () => { throw new Error('patched'); };
let out;
try {
  globalThis.escape = globalThis.unescape = globalThis.decodeURIComponent = globalThis.atob = globalThis.btoa = bad;
  Uint8Array.prototype.set = bad; String.fromCharCode = bad;
  const d = new TextDecoder();
  out = [Array.from(new TextEncoder().encode('é')), d.decode(new Uint8Array([0xc3]), { stream: true }), d.decode(new Uint8Array([0xa9, 0xff, 0x41]))];
} finally {
  delete Uint8Array.prototype.set;
  [globalThis.escape, globalThis.unescape, globalThis.decodeURIComponent, globalThis.atob, globalThis.btoa, , String.fromCharCode] = saved;
}
return out;
