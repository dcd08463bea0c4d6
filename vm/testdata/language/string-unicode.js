return ['😀'.length, [...'😀é'].length, '😀'.codePointAt(0), String.fromCodePoint(128512), 'é'.normalize('NFD').length, '\u{1F600}' === '😀', 'a😀b'.split('').length];
// => [2,2,128512,"😀",2,true,4]
