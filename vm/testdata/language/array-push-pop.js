const a = [];
return [a.push(1, 2), a.unshift(0), a.pop(), a.shift(), a];
// => [2,3,2,0,[1]]
