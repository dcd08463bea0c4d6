// How a guest value becomes JSON text (contract 5.12): one rule set for output, the returned value and
// the inputs of calls.
//
// Guest code can patch every prototype and can run inside getters, toJSON and proxy traps, so nothing
// here calls a method that is looked up at the time, iterates by protocol, or assigns to an object
// that inherits. Text is counted while it grows: a small graph of shared references can be a very large text.
(function () {
  'use strict';
  const { apply, getPrototypeOf } = Reflect;
  const { isArray } = Array;
  const { keys: objectKeys, setPrototypeOf, prototype: ObjectPrototype } = Object;
  const { stringify } = JSON;
  const $TypeError = TypeError;
  const $Uint8Array = Uint8Array;
  const bindCall = Function.prototype.bind.bind(Function.prototype.call);
  const getter = (proto, name) => bindCall(Object.getOwnPropertyDescriptor(proto, name).get);

  const arrayIncludes = Array.prototype.includes;
  const includes = bindCall(String.prototype.includes);
  const slice = bindCall(String.prototype.slice);
  const toWellFormed = bindCall(String.prototype.toWellFormed);
  const functionToString = bindCall(Function.prototype.toString);
  const symbolToString = bindCall(Symbol.prototype.toString);
  const regexpToString = bindCall(RegExp.prototype.toString);
  const dateToISO = bindCall(Date.prototype.toISOString);
  const dateTime = bindCall(Date.prototype.getTime);
  const mapGet = bindCall(Map.prototype.get);
  const mapForEach = bindCall(Map.prototype.forEach);
  const setForEach = bindCall(Set.prototype.forEach);
  const TypedArrayPrototype = getPrototypeOf(Uint8Array.prototype);
  const typedLength = getter(TypedArrayPrototype, 'length');
  const viewBuffer = getter(DataView.prototype, 'buffer');
  const viewOffset = getter(DataView.prototype, 'byteOffset');
  const viewLength = getter(DataView.prototype, 'byteLength');

  const UNAWAITED = '"[Unawaited Promise: use await or Promise.all(...) before emitting or returning values.]"';
  const MAX_DEPTH = 512;
  const MAX_PROTOTYPES = 64;

  // Conversions by the prototype that is found first on an object's chain; each gives text or undefined.
  const kinds = new Map();
  const PROMISE = 1, ERROR = 2, MAP = 3, SET = 4, DATE = 5, TYPED = 6, BUFFER = 7, VIEW = 8, TEXTUAL = 9, BOXED = 10;
  const textual = new Map([[RegExp.prototype, regexpToString]]);
  const boxed = new Map([Number, String, Boolean, BigInt, Symbol].map((C) => [C.prototype, bindCall(C.prototype.valueOf)]));
  kinds.set(Promise.prototype, PROMISE).set(Error.prototype, ERROR).set(Map.prototype, MAP).set(Set.prototype, SET)
    .set(Date.prototype, DATE).set(TypedArrayPrototype, TYPED).set(ArrayBuffer.prototype, BUFFER)
    .set(DataView.prototype, VIEW).set(RegExp.prototype, TEXTUAL);
  for (const C of [Number, String, Boolean, BigInt, Symbol]) kinds.set(C.prototype, BOXED);
  if (typeof URLSearchParams === 'function') {
    kinds.set(URLSearchParams.prototype, TEXTUAL);
    textual.set(URLSearchParams.prototype, bindCall(URLSearchParams.prototype.toString));
  }

  // The state of the conversion at hand. Guest code that runs inside one can start another (text() in a
  // getter), so it is kept on the way in and put back on the way out.
  let strict = false;
  let limit = 0;
  let used = 0;
  let failure; // what ends the conversion, and must pass through the catches of guest errors

  let path;    // the objects around the one at hand, as many as its depth

  const bare = () => setPrototypeOf([], null);

  function fail(error) {
    failure = error;
    throw error;
  }

  const OVERFLOW = setPrototypeOf({}, null);
  function spend(n) {
    used += n;
    if (used > limit) fail(OVERFLOW);
  }

  function refuse(reason, lenientText) {
    if (strict) fail(new $TypeError('tool input is not JSON-compatible: ' + reason));
    return quote(lenientText);
  }

  function quote(s) {
    if (s.length > limit - used) fail(OVERFLOW);
    const text = stringify(toWellFormed(s));
    spend(text.length);
    return text;
  }

  function messageOf(error) {
    try {
      if (typeof error === 'object' && error !== null && typeof error.message === 'string') return error.message;
      return typeof error === 'symbol' ? symbolToString(error) : '' + error;
    } catch {
      return 'unknown error';
    }
  }

  // What stands for a part that guest code did not let be read.
  function excuse(error) {
    if (error === failure && failure !== undefined) throw error;
    const reason = messageOf(error);
    if (strict) fail(new $TypeError('tool input is not JSON-compatible: ' + reason));
    return '[Unserializable: ' + reason + ']';
  }

  // The prototype by which an object is converted whose own one is p, or null for an ordinary object.
  function kindPrototype(p) {
    for (let i = 0; p !== null && p !== ObjectPrototype && i < MAX_PROTOTYPES; i++) {
      if (mapGet(kinds, p) !== undefined) return p;
      p = getPrototypeOf(p);
    }
    return null;
  }

  // Calls are what costs here. So neighbours that are no objects are gathered and go through the native
  // stringify together; what is gathered has no prototype and no functions, which leaves that nothing of
  // the guest's to call. list and fields read members in place, since each level of nesting must not take
  // more frames than two of the guest's small stack.
  const SURROGATE = '\\ud'; // how stringify begins a lone surrogate, perhaps

  // The engine keeps what it is about to stringify in an array of its own, where an index setter of
  // Array.prototype sees it: guest code can then change what was gathered. The text is JSON all the same,
  // but it must be a list or an object, and not empty, to be put between others.
  function checked(text, open) {
    if (typeof text !== 'string' || text[0] !== open || text.length < 3) throw new $TypeError('value was changed while it was read');
    spend(text.length - 1); // one bracket is counted by the caller, in place of the other stands a comma
    return text;
  }

  // The text of gathered elements, in brackets; strings says that there are some among them.
  function elements(run, strings) {
    let text = stringify(run);
    if (strings && includes(text, SURROGATE)) {
      for (let i = 0; i < run.length; i++) if (typeof run[i] === 'string') run[i] = toWellFormed(run[i]);
      text = stringify(run);
    }
    return checked(text, '[');
  }

  // The text of gathered fields, in braces.
  function members(run) {
    const text = stringify(run);
    if (!includes(text, SURROGATE)) return checked(text, '{');
    let out = '';
    const names = objectKeys(run);
    for (let i = 0; i < names.length; i++) {
      out += (i === 0 ? '' : ',') + quote(names[i]) + ':' + (emit(run[names[i]], names[i], MAX_DEPTH + 1) ?? 'null');
    }
    if (out === '') return checked(undefined, '{');
    return '{' + out + '}';
  }

  function list(n, at, depth) {
    if (n * 2 > limit - used) fail(OVERFLOW);
    let out = '', run, size = 0;
    for (let i = 0; i < n; i++) {
      let child;
      try {
        child = at[i];
      } catch (error) {
        child = excuse(error);
      }
      const type = typeof child; // comparing it is slow, so the frequent ones come first
      if (type === 'number') {
      } else if (type === 'string') {
        size += child.length;
        if (size > limit - used) fail(OVERFLOW);
      } else if (type === 'object' && child !== null) {
        if (run !== undefined) {
          out += (out === '' ? '' : ',') + slice(elements(run, size > 0), 1, -1);
          run = undefined;
          size = 0;
        }
        const text = object(child, i, depth);
        if (++used > limit) fail(OVERFLOW);
        out += (out === '' ? '' : ',') + (text === undefined ? 'null' : text);
        continue;
      } else if (type === 'bigint') {
        child = '' + child;
      } else if (type === 'function' || type === 'symbol') {
        child = null;
      }
      if (run === undefined) run = bare();
      run[run.length] = child;
    }
    spend(1);
    if (out === '') return run === undefined ? '[]' : elements(run, size > 0);
    if (run !== undefined) out += ',' + slice(elements(run, size > 0), 1, -1);
    return '[' + out + ']';
  }

  function member(at, key, depth) {
    let child;
    try {
      child = at[key];
    } catch (error) {
      return quote(excuse(error));
    }
    return emit(child, key, depth);
  }

  // Fields of an object in order.
  function fields(v, names, depth) {
    let out = '', run, size = 0;
    for (let i = 0; i < names.length; i++) {
      const key = names[i];
      let child;
      try {
        child = v[key];
      } catch (error) {
        child = excuse(error);
      }
      const type = typeof child;
      if (type === 'string') {
        size += child.length;
      } else if (type === 'number' || type === 'boolean') {
      } else if (type === 'object' && child !== null) {
        const text = object(child, key, depth);
        if (text === undefined) continue;
        if (run !== undefined) {
          out += (out === '' ? '' : ',') + slice(members(run), 1, -1);
          run = undefined;
          size = 0;
        }
        spend(2);
        out += (out === '' ? '' : ',') + quote(key) + ':' + text;
        continue;
      } else if (type === 'bigint') {
        child = '' + child;
      } else if (child !== null) {
        continue;
      }
      size += key.length + 4;
      if (size > limit - used) fail(OVERFLOW);
      if (run === undefined) run = { __proto__: null };
      run[key] = child;
    }
    spend(1);
    if (out === '') return run === undefined ? '{}' : members(run);
    if (run !== undefined) out += ',' + slice(members(run), 1, -1);
    return '{' + out + '}';
  }

  function errorFields(v, depth) {
    let out = '{';
    const own = objectKeys(v);
    for (let i = -2; i < own.length; i++) {
      const key = i === -2 ? 'name' : i === -1 ? 'message' : own[i];
      if (i >= 0 && (key === 'name' || key === 'message')) continue;
      const text = member(v, key, depth);
      if (text === undefined) continue;
      spend(2);
      out += (out === '{' ? '' : ',') + quote(key) + ':' + text;
    }
    return out + '}';
  }

  function mapText(v, depth) {
    const names = bare(), values = bare();
    let allStrings = true;
    mapForEach(v, (value, key) => {
      names[names.length] = key;
      values[values.length] = value;
      if (typeof key !== 'string') allStrings = false;
    });
    if (!allStrings) {
      const pairs = bare();
      for (let i = 0; i < names.length; i++) {
        const pair = bare();
        pair[0] = names[i];
        pair[1] = values[i];
        pairs[i] = pair;
      }
      return list(pairs.length, pairs, depth);
    }
    let out = '{';
    for (let i = 0; i < names.length; i++) {
      const child = values[i];
      const text = typeof child === 'object' && child !== null ? object(child, names[i], depth) : emit(child, names[i], depth);
      if (text === undefined) continue;
      spend(2);
      out += (out === '{' ? '' : ',') + quote(names[i]) + ':' + text;
    }
    return out + '}';
  }

  function setText(v, depth) {
    const values = bare();
    setForEach(v, (value) => { values[values.length] = value; });
    return list(values.length, values, depth);
  }

  function known(v, proto, kind, depth, key) {
    switch (kind) {
      case PROMISE:
        if (strict) fail(new $TypeError('tool input is not JSON-compatible: it contains a Promise that is not awaited'));
        spend(UNAWAITED.length);
        return UNAWAITED;
      case ERROR: return errorFields(v, depth);
      case MAP: return mapText(v, depth);
      case SET: return setText(v, depth);
      case DATE: {
        const time = dateTime(v);
        return time === time ? quote(dateToISO(v)) : 'null';
      }
      case TYPED: return list(typedLength(v), v, depth);
      case BUFFER: { const bytes = new $Uint8Array(v); return list(typedLength(bytes), bytes, depth); }
      case VIEW: { const bytes = new $Uint8Array(viewBuffer(v), viewOffset(v), viewLength(v)); return list(typedLength(bytes), bytes, depth); }
      case TEXTUAL: return quote(mapGet(textual, proto)(v));
      default: return emit(mapGet(boxed, proto)(v), key, depth);
    }
  }

  function object(v, key, depth) {
    if (depth > MAX_DEPTH) return refuse('it is nested more than ' + MAX_DEPTH + ' levels deep', '[Nested too deeply]');
    path.length = depth - 1;
    if (depth > 1 && path.includes(v)) return refuse('it contains itself', '[Circular]');
    path[depth - 1] = v;
    try {
      const array = isArray(v);
      let proto = array ? null : getPrototypeOf(v);
      if (proto !== null && proto !== ObjectPrototype) {
        proto = kindPrototype(proto);
        if (proto !== null) return known(v, proto, mapGet(kinds, proto), depth + 1, key);
      }
      const toJSON = v.toJSON;
      if (typeof toJSON === 'function') {
        const given = apply(toJSON, v, ['' + key]);
        if (given !== v) return emit(given, key, depth + 1);
      }
      return array ? list(v.length, v, depth + 1) : fields(v, objectKeys(v), depth + 1);
    } catch (error) {
      return quote(excuse(error));
    }
  }

  function emit(v, key, depth) {
    switch (typeof v) {
      case 'string': return quote(v);
      case 'number': { const text = v - v === 0 ? '' + v : 'null'; spend(text.length); return text; }
      case 'boolean': spend(4); return v ? 'true' : 'false';
      case 'bigint': return quote('' + v);
      case 'object': return v === null ? 'null' : object(v, key, depth);
      default: return undefined;
    }
  }

  function top(v) {
    switch (typeof v) {
      case 'function':
        return strict ? refuse('it is a function') : quote(functionToString(v));
      case 'symbol':
        return strict ? refuse('it is a symbol') : quote(symbolToString(v));
      default: {
        const text = emit(v, '', 1);
        return text === undefined ? 'null' : text;
      }
    }
  }

  // Gives the JSON text of v, or undefined when it would be longer than max characters. With inputs of
  // calls (asInput) nothing is made up: what has no JSON form throws a TypeError.
  function render(v, max, asInput) {
    const saved = { __proto__: null, strict, limit, used, failure, path };
    strict = asInput;
    limit = max;
    used = 0;
    failure = undefined;
    path = bare();
    path.includes = arrayIncludes;
    try {
      return top(v);
    } catch (error) {
      if (error === OVERFLOW) return undefined;
      throw error;
    } finally {
      strict = saved.strict;
      limit = saved.limit;
      used = saved.used;
      failure = saved.failure;
      path = saved.path;
    }
  }

  return { __proto__: null, render, messageOf, toWellFormed };
})
