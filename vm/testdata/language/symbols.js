const s = Symbol('d');
return [s.description, s.toString(), Symbol.for('k') === Symbol.for('k'), Symbol.keyFor(Symbol.for('k')), Object.getOwnPropertySymbols({ [s]: 1 }).length, typeof s];
// => ["d","Symbol(d)",true,"k",1,"symbol"]
