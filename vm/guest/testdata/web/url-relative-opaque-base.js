return ['x', '', '/x', '?q', '#f'].map((r) => { try { return new URL(r, 'mailto:a@b').href; } catch (e) { return e.name; } });
