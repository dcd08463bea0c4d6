const out = [];
for (const v of [Symbol('abc'), () => 1]) { try { structuredClone(v); } catch (e) { out.push(e.message); } }
return out;
