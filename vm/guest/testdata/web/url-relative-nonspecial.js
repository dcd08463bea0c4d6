return ['x', '/x', '//h2/x', '..', '?q', '#f', 'a\\b', '.', 'b/./c/../d'].map((r) => new URL(r, 'foo://h/a/b?k').href);
