return Object.assign({ a: 1 }, null, { b: 2 }, [3], 'x');
// => {"0":"x","a":1,"b":2}
