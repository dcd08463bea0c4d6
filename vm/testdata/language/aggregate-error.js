const e = new AggregateError([1, new Error('two')], 'many');
return [e.message, e.errors.length, e.errors[1].message];
// => ["many",2,"two"]
