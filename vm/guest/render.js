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

  function unserializable(error) {
    if (error === failure && failure !== undefined) throw error;
    return refuse(messageOf(error), '[Unserializable: ' + messageOf(error) + ']');
  }

  // The prototype by which an object is converted, or null for an ordinary object.
  function kindPrototype(v) {
    let p = getPrototypeOf(v);
    for (let i = 0; p !== null && p !== ObjectPrototype && i < MAX_PROTOTYPES; i++) {
      if (mapGet(kinds, p) !== undefined) return p;
      p = getPrototypeOf(p);
    }
    return null;
  }

  // list and fields read and convert members in place: the guest's stack is small, and each level of
  // nesting must not take more frames than two.
  function list(n, at, depth, up) {
    if (n * 2 > limit - used) fail(OVERFLOW);
    let out = '[';
    for (let i = 0; i < n; i++) {
      if (i > 0) out += ',';
      spend(1);
      let child, text;
      try {
        child = at[i];
      } catch (error) {
        text = unserializable(error);
      }
      if (text === undefined) text = typeof child === 'object' && child !== null ? object(child, i, depth, up) : emit(child, i, depth, up);
      if (text === undefined) spend(4);
      out += text === undefined ? 'null' : text;
    }
    spend(2);
    return out + ']';
  }

  function member(at, key, depth, up) {
    let child;
    try {
      child = at[key];
    } catch (error) {
      return unserializable(error);
    }
    return emit(child, key, depth, up);
  }

  // Fields of an object in order; own gives text that stands before them.
  function fields(v, names, depth, up, out, skipped) {
    for (let i = 0; i < names.length; i++) {
      const key = names[i];
      if (skipped !== undefined && (key === 'name' || key === 'message')) continue;
      let child, text;
      try {
        child = v[key];
      } catch (error) {
        text = unserializable(error);
      }
      if (text === undefined) text = typeof child === 'object' && child !== null ? object(child, key, depth, up) : emit(child, key, depth, up);
      if (text === undefined) continue;
      spend(2);
      out += (out === '{' ? '' : ',') + quote(key) + ':' + text;
    }
    return out + '}';
  }

  function errorFields(v, depth, up) {
    let out = '{';
    for (let i = 0; i < 2; i++) {
      const key = i === 0 ? 'name' : 'message';
      const text = member(v, key, depth, up);
      if (text !== undefined) out += (i === 0 ? '' : ',') + quote(key) + ':' + text;
    }
    return fields(v, objectKeys(v), depth, up, out, true);
  }

  function mapText(v, depth, up) {
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
      return list(pairs.length, pairs, depth, up);
    }
    let out = '{';
    for (let i = 0; i < names.length; i++) {
      const child = values[i];
      const text = typeof child === 'object' && child !== null ? object(child, names[i], depth, up) : emit(child, names[i], depth, up);
      if (text === undefined) continue;
      spend(2);
      out += (out === '{' ? '' : ',') + quote(names[i]) + ':' + text;
    }
    return out + '}';
  }

  function setText(v, depth, up) {
    const values = bare();
    setForEach(v, (value) => { values[values.length] = value; });
    return list(values.length, values, depth, up);
  }

  function known(v, proto, kind, depth, up, key) {
    switch (kind) {
      case PROMISE:
        if (strict) fail(new $TypeError('tool input is not JSON-compatible: it contains a Promise that is not awaited'));
        spend(UNAWAITED.length);
        return UNAWAITED;
      case ERROR: return errorFields(v, depth, up);
      case MAP: return mapText(v, depth, up);
      case SET: return setText(v, depth, up);
      case DATE: {
        const time = dateTime(v);
        return time === time ? quote(dateToISO(v)) : 'null';
      }
      case TYPED: return list(typedLength(v), v, depth, up);
      case BUFFER: { const bytes = new $Uint8Array(v); return list(typedLength(bytes), bytes, depth, up); }
      case VIEW: { const bytes = new $Uint8Array(viewBuffer(v), viewOffset(v), viewLength(v)); return list(typedLength(bytes), bytes, depth, up); }
      case TEXTUAL: return quote(mapGet(textual, proto)(v));
      default: return emit(mapGet(boxed, proto)(v), key, depth, up);
    }
  }

  function object(v, key, depth, up) {
    if (depth > MAX_DEPTH) return refuse('it is nested more than ' + MAX_DEPTH + ' levels deep', '[Nested too deeply]');
    for (let u = up; u !== null; u = u.up) if (u.v === v) return refuse('it contains itself', '[Circular]');
    const here = { __proto__: null, v, up };
    try {
      const array = isArray(v);
      const proto = array ? null : kindPrototype(v);
      const kind = proto === null ? undefined : mapGet(kinds, proto);
      if (kind !== undefined) return known(v, proto, kind, depth + 1, here, key);
      const toJSON = v.toJSON;
      if (typeof toJSON === 'function') {
        const given = apply(toJSON, v, ['' + key]);
        if (given !== v) return emit(given, key, depth + 1, here);
      }
      if (array) return list(v.length, v, depth + 1, here);
      spend(2);
      return fields(v, objectKeys(v), depth + 1, here, '{');
    } catch (error) {
      return unserializable(error);
    }
  }

  function emit(v, key, depth, up) {
    switch (typeof v) {
      case 'string': return quote(v);
      case 'number': { const text = v - v === 0 ? '' + v : 'null'; spend(text.length); return text; }
      case 'boolean': spend(4); return v ? 'true' : 'false';
      case 'bigint': return quote('' + v);
      case 'object': return v === null ? 'null' : object(v, key, depth, up);
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
        const text = emit(v, '', 1, null);
        return text === undefined ? 'null' : text;
      }
    }
  }

  // Gives the JSON text of v, or undefined when it would be longer than max characters. With inputs of
  // calls (asInput) nothing is made up: what has no JSON form throws a TypeError.
  function render(v, max, asInput) {
    const saved = { __proto__: null, strict, limit, used, failure };
    strict = asInput;
    limit = max;
    used = 0;
    failure = undefined;
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
    }
  }

  return { __proto__: null, render, messageOf, toWellFormed };
})
