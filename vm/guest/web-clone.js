// structuredClone as the HTML standard defines it, without transfer lists.
// Evaluated once while the base image is built, before any user code; evaluate
// it after the other web files, as it refuses instances of their classes.
//
// Where it differs from the standard:
//  - a Proxy is cloned as what its traps show (a program cannot see that an
//    object is a proxy; the standard refuses it);
//  - the kind of an object other than arrays, errors and views of buffers
//    is found by its prototype chain, so a Map whose prototype was replaced
//    counts as a plain object;
//  - an object whose prototype chain leads to Promise, WeakMap, Iterator and
//    the like is refused even if it was only made to look so.
// Node clones URL, URLSearchParams, TextEncoder and TextDecoder instances to
// empty objects; here they are refused, as the standard wants it.
(function (global, engine) {
  'use strict';

  const uncurry = Function.prototype.bind.bind(Function.prototype.call);
  const getter = (object, name) => uncurry(Object.getOwnPropertyDescriptor(object, name).get);
  const { apply, defineProperty } = Reflect;
  const { keys, getOwnPropertyDescriptor, getPrototypeOf, setPrototypeOf } = Object;
  const { isArray } = Array;
  const { isView } = ArrayBuffer;
  const { isError } = Error;
  const { TypeError, DOMException } = global;
  const toObject = Object;
  const objectProto = Object.prototype;
  const symbolIterator = Symbol.iterator;
  const hasOwn = uncurry(objectProto.hasOwnProperty);
  const sourceText = uncurry(Function.prototype.toString);
  const symbolText = uncurry(Symbol.prototype.toString);
  const slice = uncurry(String.prototype.slice);
  const newMap = Map, newSet = Set, newDate = Date, newRegExp = RegExp, newBuffer = ArrayBuffer, newView = DataView;
  const Bytes = Uint8Array;
  const mapGet = uncurry(Map.prototype.get);
  const mapSet = uncurry(Map.prototype.set);
  const mapForEach = uncurry(Map.prototype.forEach);
  const setAdd = uncurry(Set.prototype.add);
  const setForEach = uncurry(Set.prototype.forEach);
  const dateTime = uncurry(Date.prototype.getTime);
  const regExpSource = getter(RegExp.prototype, 'source');
  const regExpProto = RegExp.prototype;
  const exceptionName = getter(DOMException.prototype, 'name');
  const exceptionMessage = getter(DOMException.prototype, 'message');
  const bufferBytes = getter(ArrayBuffer.prototype, 'byteLength');
  const bufferMax = getter(ArrayBuffer.prototype, 'maxByteLength');
  const bufferResizable = getter(ArrayBuffer.prototype, 'resizable');
  const bufferDetached = getter(ArrayBuffer.prototype, 'detached');
  const bufferResize = uncurry(ArrayBuffer.prototype.resize);
  const typedProto = getPrototypeOf(Uint8Array.prototype);
  const typedTag = getter(typedProto, Symbol.toStringTag);
  const typedBuffer = getter(typedProto, 'buffer');
  const typedOffset = getter(typedProto, 'byteOffset');
  const typedBytes = getter(typedProto, 'byteLength');
  const typedLength = getter(typedProto, 'length');
  const typedAt = uncurry(typedProto.at);
  const typedSet = uncurry(typedProto.set);
  const viewBuffer = getter(DataView.prototype, 'buffer');
  const viewOffset = getter(DataView.prototype, 'byteOffset');
  const viewBytes = getter(DataView.prototype, 'byteLength');

  // Tables without a prototype, so that user code cannot add entries.
  const typedTypes = { __proto__: null };
  for (const type of [Int8Array, Uint8Array, Uint8ClampedArray, Int16Array, Uint16Array, Int32Array, Uint32Array,
    BigInt64Array, BigUint64Array, global.Float16Array, Float32Array, Float64Array]) {
    if (type) typedTypes[type.name] = type;
  }
  const errorTypes = { __proto__: null };
  for (const type of [Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError]) {
    errorTypes[type.name] = type;
  }

  const newList = () => setPrototypeOf([], null);
  const refuse = (what) => {
    throw new DOMException(`${what} could not be cloned.`, 'DataCloneError');
  };
  // One descriptor serves all: the targets are plain, so no user code runs
  // between its parts.
  const field = { __proto__: null, value: undefined, writable: true, enumerable: true, configurable: true };
  const put = (target, key, value, enumerable = true) => {
    field.value = value;
    field.enumerable = enumerable;
    defineProperty(target, key, field);
    field.value = undefined;
  };

  // One clone at work: seen maps each object met to its clone, so cycles and
  // shared references keep their shape and the work stays linear; frames is the
  // stack of objects whose contents are being visited, kept here because a deep
  // graph would exhaust the engine's own. A frame's step takes one of its items.

  function cloneGraph(root) {
    const job = { seen: new newMap(), frames: newList() };
    const { frames } = job;
    const out = clone(root, job);
    while (frames.length > 0) {
      const frame = frames[frames.length - 1];
      if (frame.at < frame.items.length) frame.step(frame, frame.items[frame.at++], job);
      else frames.length--;
    }
    return out;
  }

  const visit = (job, value, out, items, step) => {
    job.frames[job.frames.length] = { value, out, items, step, at: 0, key: undefined };
    return out;
  };

  // Gives the clone of a value; what is inside it is filled in by later steps.
  function clone(value, job) {
    if (typeof value === 'function') return refuse(slice(sourceText(value), 0, 200));
    if (typeof value === 'symbol') return refuse(symbolText(value));
    if (typeof value !== 'object' || value === null) return value;
    const known = mapGet(job.seen, value);
    if (known !== undefined) return known;
    if (isArray(value)) return cloneArray(value, job);
    if (isView(value)) return cloneView(value, job);
    if (isError(value)) return cloneError(value, job);
    for (let proto = getPrototypeOf(value); proto !== null && proto !== objectProto; proto = getPrototypeOf(proto)) {
      const kind = mapGet(kinds, proto);
      if (kind === undefined) continue;
      const out = kind(value, job);
      if (out !== undefined) return out;
      break;
    }
    return visit(job, value, remember(job, value, {}), keys(value), fieldStep);
  }

  function fieldStep(frame, name, job) {
    // A getter met earlier may have removed it.
    if (hasOwn(frame.value, name)) put(frame.out, name, clone(frame.value[name], job));
  }

  function cloneArray(value, job) {
    const { length } = value;
    const names = keys(value);
    const out = remember(job, value, []);
    // With holes, or else the length grows with the elements.
    if (length > 0 && names[length - 1] !== `${length - 1}`) out.length = length;
    return visit(job, value, out, names, fieldStep);
  }

  function remember(job, value, out) {
    mapSet(job.seen, value, out);
    return out;
  }

  function cloneError(value, job) {
    const name = value.name;
    const type = errorTypes[name === undefined ? 'Error' : `${name}`] || errorTypes.Error;
    const message = ownValue(value, 'message');
    const stack = ownValue(value, 'stack');
    const out = remember(job, value, message === undefined ? new type() : new type(`${message}`));
    if (typeof stack === 'string') put(out, 'stack', stack, false);
    // Not in the standard, but all engines keep it.
    return hasOwn(value, 'cause') ? visit(job, value, out, ['cause'], causeStep) : out;
  }

  function causeStep(frame, name, job) {
    put(frame.out, name, clone(ownValue(frame.value, name), job), false);
  }

  function ownValue(object, name) {
    const property = getOwnPropertyDescriptor(object, name);
    return property !== undefined && hasOwn(property, 'value') ? property.value : undefined;
  }

  function cloneMap(value, job) {
    const entries = newList();
    mapForEach(value, (item, key) => {
      entries[entries.length] = key;
      entries[entries.length] = item;
    });
    return visit(job, value, remember(job, value, new newMap()), entries, entryStep);
  }

  // Keys and values take turns.
  function entryStep(frame, item, job) {
    const copy = clone(item, job);
    if (frame.at % 2 === 1) frame.key = copy;
    else mapSet(frame.out, frame.key, copy);
  }

  function cloneSet(value, job) {
    const items = newList();
    setForEach(value, (item) => {
      items[items.length] = item;
    });
    return visit(job, value, remember(job, value, new newSet()), items, itemStep);
  }

  function itemStep(frame, item, job) {
    setAdd(frame.out, clone(item, job));
  }

  function cloneBuffer(buffer, job) {
    const known = mapGet(job.seen, buffer);
    if (known !== undefined) return known;
    if (bufferDetached(buffer)) return refuse('An ArrayBuffer is detached and');
    const options = bufferResizable(buffer) ? { __proto__: null, maxByteLength: bufferMax(buffer) } : undefined;
    const out = new newBuffer(bufferBytes(buffer), options);
    typedSet(new Bytes(out), new Bytes(buffer));
    return remember(job, buffer, out);
  }

  function cloneView(view, job) {
    const tag = typedTag(view);
    const typed = tag !== undefined;
    const source = typed ? typedBuffer(view) : viewBuffer(view);
    const buffer = cloneBuffer(source, job);
    if (!inBounds(view, typed)) return refuse('A view that is out of bounds');
    const type = typed ? typedTypes[tag] : newView;
    const offset = typed ? typedOffset(view) : viewOffset(view);
    const out = followsLength(view, typed, source)
      ? new type(buffer, offset)
      : new type(buffer, offset, typed ? typedLength(view) : viewBytes(view));
    return remember(job, view, out);
  }

  function inBounds(view, typed) {
    try {
      if (typed) typedAt(view, 0);
      else viewBytes(view);
      return true;
    } catch {
      return false;
    }
  }

  // Whether a view grows and shrinks with its resizable buffer. Nothing tells,
  // so the buffer is cut one byte into the view for a moment: a view of fixed
  // length is then out of bounds. An empty view counts as fixed.
  function followsLength(view, typed, buffer) {
    if (!bufferResizable(buffer)) return false;
    const size = bufferBytes(buffer);
    const length = typed ? typedBytes(view) : viewBytes(view);
    const end = (typed ? typedOffset(view) : viewOffset(view)) + length;
    if (length === 0 || size - end >= 8) return false;
    const kept = new Bytes(size - end + 1);
    typedSet(kept, new Bytes(buffer, end - 1, size - end + 1));
    bufferResize(buffer, end - 1);
    const follows = inBounds(view, typed);
    bufferResize(buffer, size);
    typedSet(new Bytes(buffer), kept, end - 1);
    return follows;
  }

  // ---- kinds: the prototype says what an object may be, a brand check whether
  // it is. A handler gives undefined for an object without the inner state.

  const kinds = new Map();
  const branded = (check, make) => (value, job) => {
    let inner;
    try {
      inner = check(value);
    } catch {
      return undefined;
    }
    return make(value, job, inner);
  };

  kinds.set(Map.prototype, branded(getter(Map.prototype, 'size'), cloneMap));
  kinds.set(Set.prototype, branded(getter(Set.prototype, 'size'), cloneSet));
  kinds.set(ArrayBuffer.prototype, branded(bufferBytes, cloneBuffer));
  kinds.set(Date.prototype, branded(dateTime, (value, job, time) => remember(job, value, new newDate(time))));
  kinds.set(RegExp.prototype, branded(regExpSource, (value, job) =>
    value === regExpProto ? undefined : remember(job, value, new newRegExp(value))));
  kinds.set(DOMException.prototype, branded(exceptionName, (value, job, name) =>
    remember(job, value, new DOMException(exceptionMessage(value), name))));
  for (const type of [Boolean, Number, String, BigInt]) {
    kinds.set(type.prototype, branded(uncurry(type.prototype.valueOf), (value, job, primitive) =>
      remember(job, value, toObject(primitive))));
  }

  const iteratorProto = getPrototypeOf(getPrototypeOf([][symbolIterator]()));
  const asyncIteratorProto = getPrototypeOf(getPrototypeOf(getPrototypeOf((async function* () {})())));
  for (const name of ['Symbol', 'Promise', 'WeakMap', 'WeakSet', 'WeakRef', 'FinalizationRegistry', 'DisposableStack',
    'AsyncDisposableStack', 'SharedArrayBuffer', 'URL', 'URLSearchParams', 'TextEncoder', 'TextDecoder']) {
    if (typeof global[name] === 'function') kinds.set(global[name].prototype, () => refuse(`#<${name}>`));
  }
  kinds.set(iteratorProto, () => refuse('An iterator'));
  kinds.set(asyncIteratorProto, () => refuse('An iterator'));

  // ---- installation

  function refuseTransfer(options) {
    if (options === undefined || options === null) return;
    if (typeof options !== 'object' && typeof options !== 'function') {
      throw new TypeError('The "options" argument must be of type object');
    }
    const { transfer } = options;
    if (transfer === undefined) return;
    const start = typeof transfer === 'object' && transfer !== null ? transfer[symbolIterator] : undefined;
    if (typeof start !== 'function') throw new TypeError('The "transfer" option must be iterable');
    const iterator = apply(start, transfer, []);
    if (!iterator.next().done) throw new DOMException('Transfer lists are not supported.', 'DataCloneError');
  }

  const functions = {
    structuredClone(value, options = undefined) {
      if (arguments.length === 0) throw new TypeError('The "value" argument must be specified');
      refuseTransfer(options);
      return cloneGraph(value);
    },
  };
  Object.defineProperty(global, 'structuredClone', {
    value: functions.structuredClone, writable: true, enumerable: true, configurable: true,
  });
})
