var fs = [];
for (var i = 0; i < 3; i++) fs.push(() => i);
return fs.map((f) => f());
// => [3,3,3]
