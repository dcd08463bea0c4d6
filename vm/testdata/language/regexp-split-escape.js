const esc = (s) => s.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
return [esc('a.b*c'), new RegExp(esc('1+1')).test('1+1'), 'a, b;c'.split(/[,;]\s*/)];
// => ["a\\.b\\*c",true,["a","b","c"]]
