return ['', 'x', '/x', '//x', '?x', '#x', '://x', '1http://x', '-a:b', 'a b://c'].map((r) => { try { return new URL(r).href; } catch (e) { return e.name; } });
