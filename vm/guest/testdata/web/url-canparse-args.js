try { URL.canParse(); return 'no'; } catch (e) { return e.name; }
