const p = TextDecoder.prototype;
const d = Object.getOwnPropertyDescriptors(p);
const out = [];
for (const f of [() => p.decode.call({}), () => TextDecoder(), () => d.fatal.get.call({}), () => d.encoding.get.call({}), () => d.ignoreBOM.get.call({})]) { try { f(); out.push('no'); } catch (e) { out.push(e.name); } }
return [Object.prototype.toString.call(new TextDecoder()), d.decode.enumerable, d.encoding.enumerable, d.fatal.enumerable, d.ignoreBOM.enumerable, p.decode.name, out, TextDecoder.name, TextDecoder.length];
