return ['<a><b>'.match(/<.+>/)[0], '<a><b>'.match(/<.+?>/)[0], 'aaa'.match(/a{2}/)[0], 'aaa'.match(/a{1,}?/)[0]];
// => ["<a><b>","<a>","aa","a"]
