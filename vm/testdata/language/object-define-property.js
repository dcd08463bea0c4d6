const o = {};
Object.defineProperty(o, 'h', { value: 1, enumerable: false });
return [Object.keys(o), o.h, Object.getOwnPropertyDescriptor(o, 'h')];
// => [[],1,{"value":1,"writable":false,"enumerable":false,"configurable":false}]
