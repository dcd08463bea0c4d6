return ['b' > 'a', '10' < '9', '10' < 9, null >= 0, undefined >= 0, [2] > 1];
// => [true,true,false,true,false,true]
