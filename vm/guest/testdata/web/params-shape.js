const out = {};
for (const [k, d] of Object.entries(Object.getOwnPropertyDescriptors(URLSearchParams.prototype))) out[k] = [d.enumerable, d.configurable, typeof d.get, typeof d.value];
return [Object.entries(out).sort((a, b) => (a[0] < b[0] ? -1 : 1)), Object.prototype.toString.call(new URLSearchParams()), URLSearchParams.name, URLSearchParams.length, URLSearchParams.prototype[Symbol.iterator] === URLSearchParams.prototype.entries, Object.keys(new URLSearchParams('a=1'))];
