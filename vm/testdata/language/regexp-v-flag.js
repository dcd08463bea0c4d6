return [/[\p{L}--[a-z]]/v.test('a'), /[\p{L}--[a-z]]/v.test('É'), /[[a-z]&&[aeiou]]/v.test('b')];
// => [false,true,false]
