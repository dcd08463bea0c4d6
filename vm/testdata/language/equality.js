return [null == undefined, null == 0, '1' == 1, NaN === NaN, Object.is(NaN, NaN), Object.is(0, -0), [1] == 1, '' == 0];
// => [true,false,true,false,true,false,true,true]
