const o = Object.create({ inherited: 1 }, { own: { value: 2, enumerable: true } });
return [o.inherited, Object.keys(o), 'inherited' in o, Object.hasOwn(o, 'inherited')];
// => [1,["own"],true,false]
