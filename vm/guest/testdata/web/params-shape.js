const out = {};
for (const [k, d] of Object.entries(Object.getOwnPropertyDescriptors(URLSearchParams.prototype))) out[k] = [d.enumerable, d.configurable, typeof d.get, typeof d.value];
return [out, Object.prototype.toString.call(new URLSearchParams()), URLSearchParams.name, URLSearchParams.length, URLSearchParams.prototype[Symbol.iterator] === URLSearchParams.prototype.entries, Object.keys(new URLSearchParams('a=1'))];
