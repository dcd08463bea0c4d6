const out = {};
for (const [k, d] of Object.entries(Object.getOwnPropertyDescriptors(URL.prototype))) out[k] = [d.enumerable, d.configurable, typeof d.get, typeof d.set, typeof d.value];
return [Object.entries(out).sort((a, b) => (a[0] < b[0] ? -1 : 1)), Object.prototype.toString.call(new URL('http://h')), URL.prototype[Symbol.toStringTag], URL.length, URL.name, Object.keys(new URL('http://h')), Object.getOwnPropertyDescriptor(URL, 'canParse').enumerable];
