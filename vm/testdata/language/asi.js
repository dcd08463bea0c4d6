let a = 1
let b = a
++b
return [a, b]
// => [1,2]
