const o = { a: { f: () => 5, list: [1] } };
return [o?.a?.f?.(), o.b?.c.d.e ?? 'none', o.a.g?.(), o.a.list?.[0], o.z?.[0]?.x ?? null, delete o?.a?.list];
// => [5,"none",null,1,null,true]
