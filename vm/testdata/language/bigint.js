return [2n ** 64n, 7n / 2n, -7n % 3n, BigInt(10) * 3n, BigInt.asUintN(8, 257n), BigInt.asIntN(8, 255n), BigInt('0xff'), typeof 1n, 1n < 2, 2n == 2, 5n > 4, (123n).toString(16)].map(String);
// => ["18446744073709551616","3","-1","30","1","-1","255","bigint","true","true","true","7b"]
