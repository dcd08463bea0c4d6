const p = URLSearchParams.prototype;
return ['append', 'delete', 'get', 'getAll', 'has', 'set', 'sort', 'entries', 'forEach', 'keys', 'values', 'toString'].map((k) => [p[k].name, p[k].length]);
