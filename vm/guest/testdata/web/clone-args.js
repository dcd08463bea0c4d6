const out = [];
for (const f of [() => structuredClone(), () => structuredClone(1, undefined), () => structuredClone(1, {}), () => structuredClone(1, { transfer: [] }), () => structuredClone(1, { transfer: undefined }), () => structuredClone(1, 5), () => structuredClone(1, { transfer: 5 })]) { try { out.push(f()); } catch (e) { out.push(e.name); } }
return out;
