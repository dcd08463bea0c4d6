const a = [,]; a.x = 1;
const b = [1]; Object.defineProperty(b, '1', { value: 2, enumerable: false });
return [structuredClone(a).length, Object.keys(structuredClone(a)), structuredClone(b).length, Object.keys(structuredClone(b))];
