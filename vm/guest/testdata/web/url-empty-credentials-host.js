return ['http://u:p@', 'http://@', 'http://u@/x', 'http://@/x', 'foo://u@', 'foo://@/x'].map((s) => { try { return new URL(s).href; } catch (e) { return e.name; } });
