// URL as the URL standard defines it, without object URLs. Evaluated once while
// the base image is built, before any user code and after the other web-url
// files, whose functions it takes from engine.webUrl; it removes that property.
(function (global, engine) {
  'use strict';

  const { TypeError } = global;
  const {
    scalarText, parse, serialize, serializePath, serializeHost, originOf,
    setProtocol, setUsername, setPassword, setHost, setPort, setPathname, setSearch, setHash,
    URLSearchParams, stateOf, parseForm, serializeForm, isObject, need, wrongThis, install,
  } = engine.webUrl;
  delete engine.webUrl;

  function resolve(input, base) {
    const text = scalarText(input);
    if (base === undefined) return parse(text, null);
    const parsed = parse(scalarText(base), null);
    return parsed === null ? null : parse(text, parsed);
  }

  // searchParams follows a query that was set in another way.
  function reloadParams(url) {
    url.stale = false;
    if (url.params !== undefined) stateOf(url.params).list = parseForm(url.query === null ? '' : url.query);
  }

  let ready; // a record that the next constructor call takes over (URL.parse)

  // Both take an instance and give its record, or throw. rawRecordOf leaves a
  // stale query as it is, so that a loop of searchParams.append(…) is linear.
  let recordOf, rawRecordOf;

  class URL {
    #record;
    static {
      rawRecordOf = (self) => {
        if (!isObject(self) || !(#record in self)) throw wrongThis('URL');
        return self.#record;
      };
      recordOf = (self) => {
        const url = rawRecordOf(self);
        if (url.stale) {
          const query = serializeForm(stateOf(url.params).list);
          url.query = query === '' ? null : query;
          url.stale = false;
        }
        return url;
      };
    }

    constructor(url, base = undefined) {
      const record = ready;
      ready = undefined;
      if (record !== undefined) {
        this.#record = record;
        return;
      }
      need(arguments.length, 1, '"url" argument');
      const parsed = resolve(url, base);
      if (parsed === null) throw new TypeError('Invalid URL');
      this.#record = parsed;
    }

    static canParse(url, base = undefined) {
      need(arguments.length, 1, '"url" argument');
      return resolve(url, base) !== null;
    }

    static parse(url, base = undefined) {
      need(arguments.length, 1, '"url" argument');
      const parsed = resolve(url, base);
      if (parsed === null) return null;
      ready = parsed;
      return new URL();
    }

    get href() {
      return serialize(recordOf(this));
    }
    set href(value) {
      const old = rawRecordOf(this);
      const parsed = parse(scalarText(value), null);
      if (parsed === null) throw new TypeError('Invalid URL');
      parsed.params = old.params;
      this.#record = parsed;
      if (parsed.params !== undefined) {
        stateOf(parsed.params).url = parsed;
        reloadParams(parsed);
      }
    }

    get origin() {
      return originOf(recordOf(this));
    }

    get protocol() {
      return recordOf(this).scheme;
    }
    set protocol(value) {
      setProtocol(recordOf(this), scalarText(value));
    }

    get username() {
      return recordOf(this).username;
    }
    set username(value) {
      setUsername(recordOf(this), scalarText(value));
    }

    get password() {
      return recordOf(this).password;
    }
    set password(value) {
      setPassword(recordOf(this), scalarText(value));
    }

    get host() {
      const url = recordOf(this);
      return url.host === null ? '' : serializeHost(url);
    }
    set host(value) {
      setHost(recordOf(this), scalarText(value), true);
    }

    get hostname() {
      const { host } = recordOf(this);
      return host === null ? '' : host;
    }
    set hostname(value) {
      setHost(recordOf(this), scalarText(value), false);
    }

    get port() {
      const { port } = recordOf(this);
      return port === null ? '' : `${port}`;
    }
    set port(value) {
      setPort(recordOf(this), scalarText(value));
    }

    get pathname() {
      return serializePath(recordOf(this));
    }
    set pathname(value) {
      setPathname(recordOf(this), scalarText(value));
    }

    get search() {
      const { query } = recordOf(this);
      return query === null || query === '' ? '' : `?${query}`;
    }
    set search(value) {
      const url = recordOf(this);
      setSearch(url, scalarText(value));
      reloadParams(url);
    }

    get searchParams() {
      const url = rawRecordOf(this);
      if (url.params === undefined) {
        url.params = new URLSearchParams();
        stateOf(url.params).url = url;
        reloadParams(url);
      }
      return url.params;
    }

    get hash() {
      const { fragment } = recordOf(this);
      return fragment === null || fragment === '' ? '' : `#${fragment}`;
    }
    set hash(value) {
      setHash(recordOf(this), scalarText(value));
    }

    toString() {
      return serialize(recordOf(this));
    }

    toJSON() {
      return serialize(recordOf(this));
    }
  }

  install(URL);
})
