const out = [];
for (const k of ['href', 'origin', 'protocol', 'username', 'password', 'host', 'hostname', 'port', 'pathname', 'search', 'searchParams', 'hash']) {
  try { Object.getOwnPropertyDescriptor(URL.prototype, k).get.call({}); out.push('no'); } catch (e) { out.push(e.name); }
}
for (const k of ['toString', 'toJSON']) { try { URL.prototype[k].call(Object.create(URL.prototype)); out.push('no'); } catch (e) { out.push(e.name); } }
try { Object.getOwnPropertyDescriptor(URL.prototype, 'href').set.call({}, 'http://x'); out.push('no'); } catch (e) { out.push(e.name); }
return out;
