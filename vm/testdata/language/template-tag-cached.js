const id = (s) => s;
const f = () => id`x`;
return [f() === f(), Object.isFrozen(f())];
// => [true,true]
