const merge = (a, b) => Object.entries(b).reduce((o, [k, v]) => ({ ...o, [k]: v && typeof v === 'object' && !Array.isArray(v) ? merge(o[k] ?? {}, v) : v }), a);
return merge({ a: { x: 1, y: { z: 1 } } }, { a: { y: { w: 2 } }, b: [1] });
// => {"a":{"x":1,"y":{"z":1,"w":2}},"b":[1]}
