// The records, the parser and the setters of the URL standard, for web-url.js.
// Evaluated once while the base image is built, after web-url-host.js. It
// installs no global: what it makes is added to engine.webUrl.
//
// Node 20 (ada 2.9) differs from the current standard, which is followed here:
//  - "^" in a path is percent-encoded;
//  - a space at the end of an opaque path before "?" or "#" becomes %20;
//  - "x#f" is no valid reference to a base with an opaque path;
//  - setting port to something without a leading digit changes nothing;
//  - setting host or hostname to "" gives a URL that is not special, and had no
//    host, an empty one, and setting it to ":1" changes nothing;
//  - ".." that leaves nothing of a path that is not special leaves "/";
//  - a punycode label that decodes to ASCII is refused.
(function (global, engine) {
  'use strict';

  const uncurry = Function.prototype.bind.bind(Function.prototype.call);
  const { parseInt } = global;
  const join = uncurry(Array.prototype.join);
  const exec = uncurry(RegExp.prototype.exec);
  const slice = uncurry(String.prototype.slice);
  const indexOf = uncurry(String.prototype.indexOf);
  const lastIndexOf = uncurry(String.prototype.lastIndexOf);
  const startsWith = uncurry(String.prototype.startsWith);
  const charAt = uncurry(String.prototype.charAt);
  const charCodeAt = uncurry(String.prototype.charCodeAt);
  const lower = uncurry(String.prototype.toLowerCase);
  const { newList, push, has, replaceAll, encode, parseHost } = engine.webUrl;

  // Percent-encode sets, each as its complement.
  const CONTROL = /[^ -~]+/g;
  const FRAGMENT = /[^!#-;=?-_a-~]+/g;
  const QUERY = /[^!$-;=?-~]+/g;
  const SPECIAL_QUERY = /'|[^!$-;=?-~]+/g;
  const PATH = /[^!$-;=@-\]_a-z|~]+/g;
  const USERINFO = /[^!$-.0-9A-Z_a-z~]+/g;

  // ---- records

  const DEFAULT_PORTS = { __proto__: null, 'http:': 80, 'https:': 443, 'ws:': 80, 'wss:': 443, 'ftp:': 21, 'file:': null };
  const isSpecial = (url) => DEFAULT_PORTS[url.scheme] !== undefined;

  // path is a list of segments, or a string if it is opaque. host is null, or
  // its serialisation. A change of the query made through searchParams waits in
  // params until someone reads (stale).
  class URLRecord {
    scheme = '';
    username = '';
    password = '';
    host = null;
    port = null;
    path = newList();
    query = null;
    fragment = null;
    params = undefined;
    stale = false;
  }

  const isOpaque = (url) => typeof url.path === 'string';
  const hasCredentials = (url) => url.username !== '' || url.password !== '';
  const hasNoAuthority = (url) => url.host === null || url.host === '' || url.scheme === 'file:';
  const isDrive = (text) => has(/^[A-Za-z][:|]$/, text);
  const startsWithDrive = (text) => has(/^[A-Za-z][:|](?:[/\\?#]|$)/, text);
  const isSlash = (url, text, at) => {
    const c = charAt(text, at);
    return c === '/' || (c === '\\' && isSpecial(url));
  };

  function copyPath(path) {
    if (typeof path === 'string') return path;
    const out = newList();
    for (let i = 0; i < path.length; i++) push(out, path[i]);
    return out;
  }

  function shortenPath(url) {
    const { path } = url;
    if (path.length === 0) return;
    if (url.scheme === 'file:' && path.length === 1 && has(/^[A-Za-z]:$/, path[0])) return;
    path.length--;
  }

  function serializePath(url) {
    if (isOpaque(url)) return url.path;
    return url.path.length === 0 ? '' : `/${join(url.path, '/')}`;
  }

  function serializeHost(url) {
    return url.port === null ? url.host : `${url.host}:${url.port}`;
  }

  function serialize(url) {
    let out = url.scheme;
    if (url.host !== null) {
      out += '//';
      if (hasCredentials(url)) out += `${url.username}${url.password === '' ? '' : `:${url.password}`}@`;
      out += serializeHost(url);
    } else if (!isOpaque(url) && url.path.length > 1 && url.path[0] === '') {
      out += '/.';
    }
    out += serializePath(url);
    if (url.query !== null) out += `?${url.query}`;
    return url.fragment === null ? out : `${out}#${url.fragment}`;
  }

  // ---- the parser: the states of the standard as functions over the rest of
  // the input. They give false on failure.

  const stripBreaks = (text) => replaceAll(text, /[\t\n\r]+/g, '');

  function trimControls(text) {
    let start = 0, end = text.length;
    while (start < end && charCodeAt(text, start) <= 0x20) start++;
    while (end > start && charCodeAt(text, end - 1) <= 0x20) end--;
    return slice(text, start, end);
  }

  // Gives a record or null.
  function parse(input, base) {
    let text = stripBreaks(trimControls(input));
    const url = new URLRecord();
    const scheme = exec(/^[A-Za-z][A-Za-z0-9+.\-]*:/, text);
    const hash = indexOf(text, '#');
    if (hash >= 0) {
      url.fragment = encode(slice(text, hash + 1), FRAGMENT);
      text = slice(text, 0, hash);
    }
    const mark = indexOf(text, '?');
    const query = mark < 0 ? null : slice(text, mark + 1);
    if (mark >= 0) text = slice(text, 0, mark);
    let ok;
    if (scheme !== null) {
      url.scheme = lower(scheme[0]);
      ok = parseAfterScheme(url, slice(text, scheme[0].length), base, query !== null || hash >= 0);
    } else {
      ok = base !== null && parseRelativeToBase(url, text, base, query, hash >= 0);
    }
    if (!ok) return null;
    if (query !== null) setQuery(url, query);
    return url;
  }

  const setQuery = (url, query) => {
    url.query = encode(query, isSpecial(url) ? SPECIAL_QUERY : QUERY);
  };

  function parseAfterScheme(url, rest, base, more) {
    if (url.scheme === 'file:') return parseFile(url, rest, base !== null && base.scheme === 'file:' ? base : null);
    if (isSpecial(url)) {
      if (base !== null && base.scheme === url.scheme && !startsWith(rest, '//')) return parseRelative(url, rest, base);
      return parseAuthorityAfterSlashes(url, rest);
    }
    if (startsWith(rest, '//')) return parseAuthority(url, slice(rest, 2));
    if (startsWith(rest, '/')) return parsePath(url, slice(rest, 1));
    url.path = encode(rest, CONTROL);
    if (more && charAt(rest, rest.length - 1) === ' ') url.path = `${slice(url.path, 0, -1)}%20`;
    return true;
  }

  function parseRelativeToBase(url, rest, base, query, hasFragment) {
    url.scheme = base.scheme;
    if (isOpaque(base)) {
      if (rest !== '' || query !== null || !hasFragment) return false;
      url.path = base.path;
      url.query = base.query;
      return true;
    }
    return base.scheme === 'file:' ? parseFile(url, rest, base) : parseRelative(url, rest, base);
  }

  function parseRelative(url, rest, base) {
    url.scheme = base.scheme;
    const slash = isSlash(url, rest, 0);
    if (slash && isSpecial(url) && isSlash(url, rest, 1)) return parseAuthorityAfterSlashes(url, rest);
    if (slash && charAt(rest, 1) === '/') return parseAuthority(url, slice(rest, 2));
    url.username = base.username;
    url.password = base.password;
    url.host = base.host;
    url.port = base.port;
    if (slash) return parsePath(url, slice(rest, 1));
    return parseBelow(url, rest, base);
  }

  // A relative path: replaces the last segment of the base's path.
  function parseBelow(url, rest, base) {
    url.path = copyPath(base.path);
    if (rest === '') {
      url.query = base.query;
      return true;
    }
    shortenPath(url);
    return parsePath(url, rest);
  }

  function parseAuthorityAfterSlashes(url, rest) {
    let start = 0;
    while (isSlash(url, rest, start)) start++;
    return parseAuthority(url, slice(rest, start));
  }

  const authorityEnd = (url, text) => {
    const found = exec(isSpecial(url) ? /[/\\]/ : /\//, text);
    return found === null ? text.length : found.index;
  };

  function parseAuthority(url, rest) {
    const end = authorityEnd(url, rest);
    let host = slice(rest, 0, end);
    const at = lastIndexOf(host, '@');
    if (at >= 0) {
      const credentials = slice(host, 0, at);
      const colon = indexOf(credentials, ':');
      url.username = encode(colon < 0 ? credentials : slice(credentials, 0, colon), USERINFO);
      if (colon >= 0) url.password = encode(slice(credentials, colon + 1), USERINFO);
      host = slice(host, at + 1);
      if (host === '') return false;
    }
    const colon = portColon(host);
    const name = colon < 0 ? host : slice(host, 0, colon);
    if (name === '' && (colon >= 0 || isSpecial(url))) return false;
    url.host = parseHost(name, isSpecial(url));
    if (url.host === null) return false;
    if (colon >= 0 && !parsePort(url, slice(host, colon + 1), true)) return false;
    return parsePathStart(url, slice(rest, end));
  }

  // Where the port's colon is: the first one outside brackets, or -1.
  function portColon(host) {
    let inside = false;
    for (let i = 0; i < host.length; i++) {
      const c = charCodeAt(host, i);
      if (c === 0x3a && !inside) return i;
      if (c === 0x5b) inside = true;
      else if (c === 0x5d) inside = false;
    }
    return -1;
  }

  // Sets the port. Without strict, what follows the digits is ignored.
  function parsePort(url, text, strict) {
    const digits = exec(/^[0-9]*/, text)[0];
    if (strict && digits.length < text.length) return false;
    if (digits === '') return true;
    const port = parseInt(digits, 10);
    if (port > 0xffff) return false;
    url.port = port === DEFAULT_PORTS[url.scheme] ? null : port;
    return true;
  }

  function parseFile(url, rest, base) {
    url.host = '';
    if (!isSlash(url, rest, 0)) {
      if (base === null) return parsePath(url, rest);
      url.host = base.host;
      return startsWithDrive(rest) ? parsePath(url, rest) : parseBelow(url, rest, base);
    }
    if (isSlash(url, rest, 1)) return parseFileHost(url, slice(rest, 2));
    rest = slice(rest, 1);
    if (base !== null) {
      url.host = base.host;
      if (!startsWithDrive(rest) && base.path.length > 0 && has(/^[A-Za-z]:$/, base.path[0])) push(url.path, base.path[0]);
    }
    return parsePath(url, rest);
  }

  function parseFileHost(url, rest) {
    const end = authorityEnd(url, rest);
    const name = slice(rest, 0, end);
    if (isDrive(name)) return parsePath(url, rest);
    return setFileHost(url, name) && parsePathStart(url, slice(rest, end));
  }

  function setFileHost(url, name) {
    const host = name === '' ? '' : parseHost(name, true);
    if (host === null) return false;
    url.host = host === 'localhost' ? '' : host;
    return true;
  }

  function parsePathStart(url, rest) {
    if (rest === '' && !isSpecial(url)) return true;
    return parsePath(url, isSlash(url, rest, 0) ? slice(rest, 1) : rest);
  }

  const SINGLE_DOT = /^(?:\.|%2e)$/i;
  const DOUBLE_DOT = /^(?:\.|%2e){2}$/i;

  function parsePath(url, rest) {
    const special = isSpecial(url);
    const separator = special ? /[/\\]/g : /\//g;
    const { path } = url;
    for (let start = 0, last = false; !last;) {
      separator.lastIndex = start;
      const found = exec(separator, rest);
      last = found === null;
      const end = last ? rest.length : found.index;
      let segment = slice(rest, start, end);
      start = end + 1;
      if (has(DOUBLE_DOT, segment)) {
        shortenPath(url);
        if (last) push(path, '');
      } else if (has(SINGLE_DOT, segment)) {
        if (last) push(path, '');
      } else {
        if (url.scheme === 'file:' && path.length === 0 && isDrive(segment)) segment = `${charAt(segment, 0)}:`;
        push(path, encode(segment, PATH));
      }
    }
    return true;
  }

  // ---- setters

  function setProtocol(url, value) {
    const match = exec(/^[A-Za-z][A-Za-z0-9+.\-]*:/, `${stripBreaks(value)}:`);
    if (match === null) return;
    const scheme = lower(match[0]);
    if ((DEFAULT_PORTS[scheme] !== undefined) !== isSpecial(url)) return;
    if (scheme === 'file:' && (hasCredentials(url) || url.port !== null)) return;
    if (url.scheme === 'file:' && url.host === '') return;
    url.scheme = scheme;
    if (url.port === DEFAULT_PORTS[scheme]) url.port = null;
  }

  function setUsername(url, value) {
    if (!hasNoAuthority(url)) url.username = encode(value, USERINFO);
  }

  function setPassword(url, value) {
    if (!hasNoAuthority(url)) url.password = encode(value, USERINFO);
  }

  function setPort(url, value) {
    if (hasNoAuthority(url)) return;
    if (value === '') url.port = null;
    else parsePort(url, stripBreaks(value), false);
  }

  function setHost(url, value, withPort) {
    if (isOpaque(url)) return;
    let text = stripBreaks(value);
    const end = exec(isSpecial(url) ? /[/\\?#]/ : /[/?#]/, text);
    if (end !== null) text = slice(text, 0, end.index);
    if (url.scheme === 'file:') {
      setFileHost(url, text);
      return;
    }
    const colon = portColon(text);
    if (colon === 0 || (colon > 0 && !withPort)) return;
    const name = colon < 0 ? text : slice(text, 0, colon);
    if (name === '' && (isSpecial(url) || hasCredentials(url) || url.port !== null)) return;
    const host = parseHost(name, isSpecial(url));
    if (host === null) return;
    url.host = host;
    if (colon > 0) parsePort(url, slice(text, colon + 1), false);
  }

  function setPathname(url, value) {
    if (isOpaque(url)) return;
    url.path = newList();
    const text = stripBreaks(value);
    if (text === '' && !isSpecial(url)) {
      if (url.host === null) push(url.path, '');
      return;
    }
    parsePathStart(url, text);
  }

  function setSearch(url, value) {
    if (value === '') url.query = null;
    else setQuery(url, stripBreaks(startsWith(value, '?') ? slice(value, 1) : value));
  }

  function setHash(url, value) {
    if (value === '') url.fragment = null;
    else url.fragment = encode(stripBreaks(startsWith(value, '#') ? slice(value, 1) : value), FRAGMENT);
  }

  function originOf(url) {
    if (url.scheme === 'blob:') {
      const inner = parse(serializePath(url), null);
      return inner !== null && (inner.scheme === 'http:' || inner.scheme === 'https:') ? originOf(inner) : 'null';
    }
    return isSpecial(url) && url.scheme !== 'file:' ? `${url.scheme}//${serializeHost(url)}` : 'null';
  }

  Object.assign(engine.webUrl, {
    parse, serialize, serializePath, serializeHost, originOf,
    setProtocol, setUsername, setPassword, setHost, setPort, setPathname, setSearch, setHash,
  });
})
