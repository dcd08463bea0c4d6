const a = [1, , 3];
return [a.length, 1 in a, a.map((x) => x * 2).length, a.indexOf(undefined), a.includes(undefined), Object.keys(a), a.forEach.length, a.join('-')];
// => [3,false,3,-1,true,["0","2"],1,"1--3"]
