return [() => 1n + 1, () => BigInt(1.5), () => BigInt('x'), () => Math.max(1n), () => 1n / 0n, () => +1n].map((f) => { try { f(); return 'ok'; } catch (e) { return e.name; } });
// => ["TypeError","RangeError","SyntaxError","TypeError","RangeError","TypeError"]
