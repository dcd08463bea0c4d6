return [Number.isInteger(5.0), Number.isSafeInteger(2 ** 53), Number.isNaN('x'), isNaN('x'), Number.EPSILON > 0, Number.MAX_SAFE_INTEGER, 0.1 + 0.2 === 0.3, 9007199254740993];
// => [true,false,false,true,true,9007199254740991,false,9007199254740992]
