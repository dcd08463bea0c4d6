const m = new Map([['a', 1], [NaN, 2]]);
m.set('a', 3).set({}, 4);
return [m.size, m.get(NaN), m.get('a'), m.has('b'), m.delete('a'), [...m.keys()].length];
// => [3,2,3,false,true,2]
