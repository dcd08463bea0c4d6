return JSON.parse('{"a":"2024-01-01","b":[1,2]}', (k, v) => typeof v === 'string' ? new Date(v).getTime() : Array.isArray(v) ? v.length : v);
// => {"a":1704067200000,"b":2}
