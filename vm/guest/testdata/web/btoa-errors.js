return ['é', '日', '\u0100', '😀', 'a\u0100'].map((s) => { try { return btoa(s); } catch (e) { return [e.name, e.code, e instanceof DOMException]; } });
