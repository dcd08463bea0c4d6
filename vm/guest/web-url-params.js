// URLSearchParams as the URL standard defines it. Evaluated once while the base
// image is built, before any user code and after web-url-parse.js, whose
// functions it takes from engine.webUrl; it adds what web-url.js needs.
(function (global, engine) {
  'use strict';

  const uncurry = Function.prototype.bind.bind(Function.prototype.call);
  const { apply, ownKeys, getOwnPropertyDescriptor } = Reflect;
  const { setPrototypeOf, defineProperty } = Object;
  const { TypeError } = global;
  const symbolIterator = Symbol.iterator;
  const join = uncurry(Array.prototype.join);
  const sortList = uncurry(Array.prototype.sort);
  const slice = uncurry(String.prototype.slice);
  const indexOf = uncurry(String.prototype.indexOf);
  const startsWith = uncurry(String.prototype.startsWith);
  const { newList, push, scalarText, splitText, replaceAll, encodeRun, percentDecode } = engine.webUrl;

  const FORM = /[ !'()~]|[^*\-._0-9A-Za-z !'()~]+/g;
  const PLUS = /\+/g;
  const encodeFormRun = (run) => (run === ' ' ? '+' : encodeRun(run));

  const newPair = (name, value) => ({ __proto__: null, name, value });
  const decodeForm = (text) => percentDecode(replaceAll(text, PLUS, ' '));

  function parseForm(text) {
    const list = newList();
    const parts = splitText(text, '&');
    for (let i = 0; i < parts.length; i++) {
      const part = parts[i];
      if (part === '') continue;
      const equals = indexOf(part, '=');
      const name = equals < 0 ? part : slice(part, 0, equals);
      push(list, newPair(decodeForm(name), equals < 0 ? '' : decodeForm(slice(part, equals + 1))));
    }
    return list;
  }

  function serializeForm(list) {
    const out = newList();
    for (let i = 0; i < list.length; i++) {
      push(out, `${replaceAll(list[i].name, FORM, encodeFormRun)}=${replaceAll(list[i].value, FORM, encodeFormRun)}`);
    }
    return join(out, '&');
  }

  const isObject = (value) => (typeof value === 'object' && value !== null) || typeof value === 'function';
  const need = (given, wanted, what) => {
    if (given < wanted) throw new TypeError(`The ${what} must be specified`);
  };

  // Calls visit for each item of an iterable.
  function iterate(iterable, method, visit) {
    const iterator = apply(method, iterable, []);
    const { next } = iterator;
    for (let step; !(step = apply(next, iterator, [])).done;) visit(step.value);
  }

  function listFromSequence(init, method) {
    const list = newList();
    const wrong = () => new TypeError('Each query pair must be an iterable [name, value] tuple');
    iterate(init, method, (item) => {
      const itemMethod = isObject(item) ? item[symbolIterator] : undefined;
      if (typeof itemMethod !== 'function') throw wrong();
      const pair = newList();
      iterate(item, itemMethod, (part) => push(pair, scalarText(part)));
      if (pair.length !== 2) throw wrong();
      push(list, newPair(pair[0], pair[1]));
    });
    return list;
  }

  function listFromRecord(init) {
    const places = { __proto__: null }; // keys that become equal overwrite
    const list = newList();
    const keys = ownKeys(init);
    for (let i = 0; i < keys.length; i++) {
      const property = getOwnPropertyDescriptor(init, keys[i]);
      if (property === undefined || !property.enumerable) continue;
      const name = scalarText(keys[i]);
      const value = scalarText(init[keys[i]]);
      if (places[name] === undefined) {
        places[name] = list.length;
        push(list, newPair(name, value));
      } else {
        list[places[name]].value = value;
      }
    }
    return list;
  }

  function listFrom(init) {
    if (init === undefined) return newList();
    if (!isObject(init)) {
      const text = scalarText(init);
      return parseForm(startsWith(text, '?') ? slice(text, 1) : text);
    }
    const method = init[symbolIterator];
    if (method === undefined || method === null) return listFromRecord(init);
    if (typeof method !== 'function') throw new TypeError('Query pairs must be iterable');
    return listFromSequence(init, method);
  }

  let stateOf; // takes an instance and gives its inner state, or throws
  const wrongThis = (name) => new TypeError(`Value of "this" must be of type ${name}`);

  const changed = (state) => {
    if (state.url !== null) state.url.stale = true;
  };

  class URLSearchParams {
    #state;
    static {
      stateOf = (self) => {
        if (!isObject(self) || !(#state in self)) throw wrongThis('URLSearchParams');
        return self.#state;
      };
    }

    constructor(init = undefined) {
      this.#state = { __proto__: null, list: listFrom(init), url: null };
    }

    get size() {
      return stateOf(this).list.length;
    }

    append(name, value) {
      const state = stateOf(this);
      need(arguments.length, 2, '"name" and "value" arguments');
      const pair = newPair(scalarText(name), scalarText(value));
      push(state.list, pair);
      changed(state);
    }

    delete(name, value = undefined) {
      const state = stateOf(this);
      need(arguments.length, 1, '"name" argument');
      name = scalarText(name);
      if (value !== undefined) value = scalarText(value);
      const { list } = state;
      let kept = 0;
      for (let i = 0; i < list.length; i++) {
        const pair = list[i];
        if (pair.name !== name || (value !== undefined && pair.value !== value)) list[kept++] = pair;
      }
      list.length = kept;
      changed(state);
    }

    get(name) {
      const { list } = stateOf(this);
      need(arguments.length, 1, '"name" argument');
      name = scalarText(name);
      for (let i = 0; i < list.length; i++) if (list[i].name === name) return list[i].value;
      return null;
    }

    getAll(name) {
      const { list } = stateOf(this);
      need(arguments.length, 1, '"name" argument');
      name = scalarText(name);
      const out = [];
      for (let i = 0; i < list.length; i++) {
        if (list[i].name !== name) continue;
        defineProperty(out, out.length, { __proto__: null, value: list[i].value, writable: true, enumerable: true, configurable: true });
      }
      return out;
    }

    has(name, value = undefined) {
      const { list } = stateOf(this);
      need(arguments.length, 1, '"name" argument');
      name = scalarText(name);
      if (value !== undefined) value = scalarText(value);
      for (let i = 0; i < list.length; i++) {
        if (list[i].name === name && (value === undefined || list[i].value === value)) return true;
      }
      return false;
    }

    set(name, value) {
      const state = stateOf(this);
      need(arguments.length, 2, '"name" and "value" arguments');
      name = scalarText(name);
      value = scalarText(value);
      const { list } = state;
      let kept = 0, found = false;
      for (let i = 0; i < list.length; i++) {
        const pair = list[i];
        if (pair.name === name) {
          if (found) continue;
          found = true;
          pair.value = value;
        }
        list[kept++] = pair;
      }
      list.length = kept;
      if (!found) push(list, newPair(name, value));
      changed(state);
    }

    sort() {
      const state = stateOf(this);
      sortList(state.list, (a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
      changed(state);
    }

    forEach(callback, thisArg = undefined) {
      const state = stateOf(this);
      if (typeof callback !== 'function') throw new TypeError('The "callback" argument must be of type function');
      for (let i = 0; i < state.list.length; i++) {
        const { name, value } = state.list[i];
        apply(callback, thisArg, [value, name, this]);
      }
    }

    entries() {
      return new ParamsIterator(stateOf(this), 'entries');
    }

    keys() {
      return new ParamsIterator(stateOf(this), 'keys');
    }

    values() {
      return new ParamsIterator(stateOf(this), 'values');
    }

    toString() {
      return serializeForm(stateOf(this).list);
    }
  }

  class ParamsIterator {
    #state;
    #kind;
    #at = 0;

    constructor(state, kind) {
      this.#state = state;
      this.#kind = kind;
    }

    next() {
      if (!isObject(this) || !(#state in this)) throw wrongThis('URLSearchParamsIterator');
      const { list } = this.#state;
      if (this.#at >= list.length) return { value: undefined, done: true };
      const { name, value } = list[this.#at++];
      const kind = this.#kind;
      return { value: kind === 'keys' ? name : kind === 'values' ? value : [name, value], done: false };
    }
  }

  // ---- installation

  const install = (type) => {
    enumerate(type);
    enumerate(type.prototype);
    tag(type, type.name);
    defineProperty(global, type.name, { value: type, writable: true, enumerable: false, configurable: true });
  };
  const enumerate = (object) => {
    for (const key of Object.getOwnPropertyNames(object)) {
      const { configurable } = Object.getOwnPropertyDescriptor(object, key);
      if (key !== 'constructor' && key !== 'prototype' && key !== 'name' && key !== 'length' && configurable) {
        defineProperty(object, key, { enumerable: true });
      }
    }
  };
  const tag = (type, value) => defineProperty(type.prototype, Symbol.toStringTag, { value, configurable: true });

  delete ParamsIterator.prototype.constructor;
  setPrototypeOf(ParamsIterator.prototype, Object.getPrototypeOf(Object.getPrototypeOf([][symbolIterator]())));
  enumerate(ParamsIterator.prototype);
  tag(ParamsIterator, 'URLSearchParams Iterator');
  defineProperty(URLSearchParams.prototype, symbolIterator, {
    value: URLSearchParams.prototype.entries, writable: true, configurable: true,
  });
  install(URLSearchParams);

  Object.assign(engine.webUrl, { URLSearchParams, stateOf, parseForm, serializeForm, isObject, need, wrongThis, install });
})
