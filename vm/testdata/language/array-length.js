const a = [1, 2, 3];
a.length = 1; a[3] = 4;
return [a, a.length];
// => [[1,null,null,4],4]
