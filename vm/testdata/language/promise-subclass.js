class P extends Promise {}
return [P.resolve(1) instanceof P, P.resolve(1).then(() => 1) instanceof P, await P.resolve(3)];
// => [true,true,3]
