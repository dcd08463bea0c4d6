return [/(a)\1/.test('aa'), /(?<q>['"]).*?\k<q>/.exec(`x "it's" y`)[0], 'abab'.replace(/(ab)\1/, '[$1]')];
// => [true,"\"it's\"","[ab]"]
