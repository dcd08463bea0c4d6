return ['aBc'.match(/b/i)?.[0], 'a\nb'.match(/^b/m)?.[0], /a.b/s.test('a\nb'), 'aaa'.replace(/a/y, 'x'), /\u{1F600}/u.test('😀'), /x/gimsuy.flags, 'ab'.match(/(?:a)(b)/d).indices[1]];
// => ["B","b",true,"xaa",true,"gimsuy",[1,2]]
