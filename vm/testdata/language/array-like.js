return [Array.prototype.map.call('abc', (c) => c.toUpperCase()), Array.prototype.join.call({ length: 2, 0: 'x', 1: 'y' }, '+')];
// => [["A","B","C"],"x+y"]
