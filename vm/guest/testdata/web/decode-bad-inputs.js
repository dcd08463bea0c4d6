const d = new TextDecoder();
return [null, 5, 'x', {}, [], true].map((v) => { try { return d.decode(v); } catch (e) { return e.name; } });
