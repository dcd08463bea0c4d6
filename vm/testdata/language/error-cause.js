const e = new Error('outer', { cause: new RangeError('inner') });
return [e.cause.message, e.cause.name, 'cause' in new Error('x'), Object.keys(e)];
// => ["inner","RangeError",false,[]]
