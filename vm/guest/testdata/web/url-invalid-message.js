try { new URL('nope'); } catch (e) { return [e.name, e.message, e instanceof TypeError]; }
