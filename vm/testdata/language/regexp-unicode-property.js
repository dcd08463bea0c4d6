return ['añb1'.match(/\p{L}+/u)[0], /\p{Emoji}/u.test('😀'), 'ΑΒγ'.match(/\p{Lu}/gu), /^\p{Script=Greek}+$/u.test('αβγ')];
// => ["añb",true,["Α","Β"],true]
