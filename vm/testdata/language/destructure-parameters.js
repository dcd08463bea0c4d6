const f = ({ id, tags: [first] = [] } = {}) => [id ?? null, first ?? null];
return [f(), f({ id: 7 }), f({ id: 8, tags: ['x', 'y'] })];
// => [[null,null],[7,null],[8,"x"]]
