return ['x', '/x', '//host/x', 'C:/x', '/C:/x', 'C|/x', '..', '../../..', '?q', '#f', '', '/..', '\\x', 'file:y', 'file:/y', 'file:///y', 'file:C:/z'].map((r) => new URL(r, 'file:///C:/a/b?k').href);
