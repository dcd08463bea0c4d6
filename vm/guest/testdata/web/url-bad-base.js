return ['x', 'http:', '', null, 5].map((b) => { try { return new URL('/a', b).href; } catch (e) { return e.name; } });
