const name = 'Ann', n = 3;
return `${name} has ${n} item${n === 1 ? '' : 's'}, ${`nested ${n * 2}`}`;
// => "Ann has 3 items, nested 6"
