Regular expressions: the matcher backtracks without running guest code.

//// nested quantifiers
//: want fails timeout
return /^(a+)+$/.test('a'.repeat(40) + 'b');

//// alternatives that overlap
//: want fails timeout
return /^(a|a|b|ab)*c$/.test('ab'.repeat(40));

//// dots without end
//: want fails timeout
return /^(.*)(.*)(.*)(.*)(.*)(.*)(.*)(.*)x$/.test('a'.repeat(2000));

//// back references
//: want fails timeout
return /^(a*)*\1b$/.test('a'.repeat(40));

//// look-behind
//: want fails timeout
return /(?<=c(a+)+)b/.test('a'.repeat(40) + 'b');

//// look-ahead inside a quantifier
//: want fails timeout
return /^((?=a)(a|a)+)+$/.test('a'.repeat(40) + 'b');

//// quadratic search for a match that is not there
//: want fails timeout
return /a*b/.test('a'.repeat(2e6));

//// replace with a pattern that backtracks at every place
//: want fails timeout
return 'a'.repeat(1e6).replace(/a+$b/g, '').length;

//// split with a pattern that backtracks
//: want fails timeout
return 'a'.repeat(40).concat('b').split(/(?:a+)+$/).length;

//// matchAll of the empty match over a long text
//: want fails timeout
for (;;) for (const m of 'x'.repeat(1e6).matchAll(/(?:)/g));

//// sets of Unicode properties over a long text
//: want fails timeout
const s = 'é'.repeat(1e6);
for (;;) s.replace(/[\p{L}--[a-z]]/gv, '');

//// a case-insensitive class of all characters
//: want fails timeout
for (;;) new RegExp('[' + '\\u0000-\\uffff'.repeat(200) + ']', 'iu').test('x');

//// a very large counted quantifier
//: want fails timeout
return new RegExp('(?:(?:(?:a?){1000}){1000}){1000}b').test('a'.repeat(1000));

//// compiling over and over
//: want fails timeout
for (let i = 0; ; i++) new RegExp('a{' + (i % 1000) + '}(b|c)*' + i);

//// lastIndex that never moves
//: want fails timeout
const r = /a/g;
Object.defineProperty(r, 'exec', { value: () => ['a'] });
return 'a'.replace(r, 'b');

//// groups nested too deep to compile
//: want throws SyntaxError: stack overflow
new RegExp('(?:'.repeat(1e5) + ')'.repeat(1e5));

//// classes nested too deep to compile
//: want throws SyntaxError: stack overflow
new RegExp('['.repeat(1e5) + ']'.repeat(1e5), 'v');

//// look-arounds nested deep
//: want throws SyntaxError: stack overflow
new RegExp('(?='.repeat(1e5) + ')'.repeat(1e5));

//// more groups than there may be
//: want throws SyntaxError: too many captures
new RegExp('()'.repeat(300));

//// a backtracking stack that grows as long as the text
//: want value true
return /^(?:a|b)*$/.test('ab'.repeat(5e5));

//// a match that needs more memory than there is
//: memory 2M
//: want fails memory_limit_exceeded
return /^(?:(a)|(b))*$/.test('ab'.repeat(5e5));

//// a quantified empty group
//: want value true
return /^(?:(?:)*)*(?:a*)*$/.test('a'.repeat(1e5));

//// a regular expression as a getter of itself
//: want fails timeout
class R extends RegExp { get flags() { return 'g'; } exec() { return { 0: '', index: 0, length: 1 }; } }
return 'x'.replace(new R('x'), 'y');
