const p = TextEncoder.prototype;
const d = Object.getOwnPropertyDescriptors(p);
const out = [];
for (const f of [() => p.encoding, () => p.encode.call({}, 'a'), () => p.encodeInto.call({}, 'a', new Uint8Array(1)), () => TextEncoder()]) { try { f(); out.push('no'); } catch (e) { out.push(e.name); } }
return [new TextEncoder().encoding, Object.prototype.toString.call(new TextEncoder()), d.encode.enumerable, d.encodeInto.enumerable, d.encoding.enumerable, p.encode.length, p.encodeInto.length, p.encode.name, TextEncoder.length, out];
