const m = new Map([['b', 1], ['a', 2]]);
return [Object.keys(structuredClone({ z: 1, 2: 'x', a: 2, 1: 'y' })), [...structuredClone(m).keys()]];
