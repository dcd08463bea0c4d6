const e = new Error('x'); Object.defineProperty(e, 'message', { value: 42 });
const f = new Error('y'); delete f.message; 
return [structuredClone(e).message, structuredClone(f).message];
