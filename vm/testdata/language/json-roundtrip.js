return JSON.parse(JSON.stringify({ d: new Date(0), u: undefined, n: null, nan: NaN, nested: [undefined, () => 1, Symbol('x')], toJSON: undefined }));
// => {"d":"1970-01-01T00:00:00.000Z","n":null,"nan":null,"nested":[null,null,null]}
