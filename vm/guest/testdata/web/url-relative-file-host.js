return ['x', '/x', '//other/x', 'C:/x', '..', '?q', '//C:/x', '///x', '////x'].map((r) => new URL(r, 'file://srv/share/b').href);
