const e = new TextEncoder();
return [undefined, null, 5, true, {}, ['a', 'b']].map((v) => new TextDecoder().decode(e.encode(v))).concat(e.encode().length, e.encode() instanceof Uint8Array);
