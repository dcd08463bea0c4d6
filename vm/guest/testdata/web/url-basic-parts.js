const out = [];
for (const s of ['https://user:pa%20ss@example.com:8080/p/a/t/h?query=string#hash', 'http://EXAMPLE.com', 'ftp://ftp.example.org/file', 'ws://h/x', 'wss://h:444/', 'file:///etc/hosts', 'mailto:a@b.c', 'data:text/plain,hi', 'blob:https://a.b/c', 'foo://bar/baz']) {
  const u = new URL(s);
  out.push([u.href, u.origin, u.protocol, u.username, u.password, u.host, u.hostname, u.port, u.pathname, u.search, u.hash]);
}
return out;
