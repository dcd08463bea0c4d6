const c = structuredClone({ a: 12345678901234567890n, b: [-1n, 0n] });
return [String(c.a), typeof c.a, c.b.map(String)];
