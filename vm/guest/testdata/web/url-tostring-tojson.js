const u = new URL('http://h/a b');
return [String(u), u.toString(), u.toJSON(), JSON.stringify({ u }), `${u}`, u + ''];
