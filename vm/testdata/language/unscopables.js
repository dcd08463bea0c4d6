return Object.keys(Array.prototype[Symbol.unscopables]).includes('flat');
// => true
