return ['{', '[1,]', '{"a":1,}', "{'a':1}", 'undefined', '01', '"\n"'].map((s) => { try { JSON.parse(s); return 'ok'; } catch (e) { return e.name; } });
// => ["SyntaxError","SyntaxError","SyntaxError","SyntaxError","SyntaxError","SyntaxError","SyntaxError"]
