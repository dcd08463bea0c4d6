const s = 'hello';
return [s[1], s[9] ?? null, s.indexOf('l'), s.lastIndexOf('l'), s.search(/l+/), s.charCodeAt(0), s.concat(1, null)];
// => ["e",null,2,3,2,104,"hello1null"]
