const fs = [];
for (let i = 0; i < 3; i++) fs.push(() => i);
return fs.map((f) => f());
// => [0,1,2]
