const out = [];
for (const f of [() => new URL(), () => URL('http://h'), () => new URL(undefined), () => new URL(null, 'http://h').href, () => new URL(5, 'http://h').href, () => new URL({ toString() { return 'http://o/'; } }).href, () => new URL(Symbol('x')), () => new URL('x', new URL('http://b/c/')).href, () => new URL(['http://arr']).href, () => new URL('http://h', undefined).href]) {
  try { out.push(f()); } catch (e) { out.push(e.name); }
}
return out;
