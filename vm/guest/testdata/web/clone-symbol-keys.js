const c = structuredClone({ [Symbol('k')]: 1, a: 2, [Symbol.iterator]: () => {} });
return [Object.keys(c), Object.getOwnPropertySymbols(c).length];
