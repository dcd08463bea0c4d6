return [null, 12, 1234, true, ['YQ'], undefined].map((v) => { try { return [...atob(v)].map((c) => c.charCodeAt(0)); } catch (e) { return e.name; } });
