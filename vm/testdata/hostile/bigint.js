Arithmetic of arbitrary size: one operation can take longer than there is time, or more memory than there is.

//// multiplication of very large numbers
//: want fails timeout
let a = 3n ** 200000n;
for (;;) a * a;

//// a power that is very large
//: want fails timeout
return (7n ** 3000000n) > 0n;

//// a power beyond the largest number
//: want throws RangeError: BigInt is too large
return 2n ** (2n ** 64n);

//// a shift beyond the largest number
//: want throws RangeError: BigInt is too large to allocate
return 1n << (1n << 40n);

//// squaring until the limit
//: want fails timeout
let a = 3n;
for (;;) a *= a;

//// division of very large numbers
//: want fails timeout
const a = 10n ** 100000n, b = 3n ** 50000n;
for (;;) { a / b; a % b; }

//// decimal text of a very large number
//: want fails timeout
return (1n << 1000000n).toString().length;

//// text in base 3 over and over
//: want fails timeout
const a = 3n ** 20000n;
for (;;) a.toString(3);

//// parsing of very many digits
//: want fails timeout
return BigInt('9'.repeat(300000)) > 0n;

//// parsing of a literal with very many digits
//: want fails timeout
return eval('9'.repeat(300000) + 'n') > 0n;

//// very many hexadecimal digits over and over
//: want fails timeout
const s = '0x' + 'f'.repeat(200000);
for (;;) BigInt(s);

//// asIntN with very many bits
//: want fails timeout
const a = -(1n << 900000n);
for (;;) { BigInt.asIntN(900001, a); BigInt.asUintN(900001, a); a & 1n; ~a; }

//// comparison of large numbers with strings
//: want fails timeout
const a = 1n << 100000n, s = '9'.repeat(30000);
for (;;) a < s;

//// additions without end
//: want fails timeout
let a = 1n << 500000n;
for (;;) a += a >> 1n, a >>= 1n;

//// numbers that fill the memory
//: memory 8M
//: want fails memory_limit_exceeded
const all = [];
for (let i = 0n; ; i++) all.push((1n << 500000n) + i);

//// a number as a value
//: want value ["-170141183460469231731687303715884105728",["1"]]
return [-(2n ** 127n), [1n]];

//// a number that is too long as a value
//: want fails output_limit_exceeded
return 1n << 250000n;
