const o = JSON.parse('{"__proto__": {"x": 1}}');
return [Object.keys(o), o.x ?? null];
// => [["__proto__"],null]
