const a = []; a[1000000] = 1;
return [a.length, Object.keys(a)];
// => [1000001,["1000000"]]
