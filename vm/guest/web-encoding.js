// TextEncoder, TextDecoder, atob and btoa as the Encoding and HTML standards
// define them. Evaluated once while the base image is built, before any user
// code, so everything it needs is captured here and later patches of the
// built-ins do not reach it.
//
// Only UTF-8 exists: every other label is a RangeError.
//
// The bulk of the work is done by natives of the engine. A "binary string" has
// one character per byte: base64 goes between it and bytes, and
// escape/decodeURIComponent between it and text.
//
// After a fatal decoder threw in the middle of a stream, the bytes that were
// left are dropped (the standard would keep them for the next call).
(function (global, engine) {
  'use strict';

  const uncurry = Function.prototype.bind.bind(Function.prototype.call);
  const getter = (object, name) => uncurry(Object.getOwnPropertyDescriptor(object, name).get);
  const { apply } = Reflect;
  const { setPrototypeOf, defineProperty } = Object;
  const { isView } = ArrayBuffer;
  const { fromCharCode } = String;
  const { fromBase64 } = Uint8Array;
  const { escape, unescape, encodeURIComponent, decodeURIComponent, TypeError, RangeError } = global;
  const nativeAtob = global.atob;
  const nativeBtoa = global.btoa;
  const Bytes = Uint8Array;
  const typedProto = Object.getPrototypeOf(Uint8Array.prototype);
  const typedTag = getter(typedProto, Symbol.toStringTag);
  const typedBuffer = getter(typedProto, 'buffer');
  const typedOffset = getter(typedProto, 'byteOffset');
  const typedBytes = getter(typedProto, 'byteLength');
  const typedSet = uncurry(typedProto.set);
  const viewBuffer = getter(DataView.prototype, 'buffer');
  const viewOffset = getter(DataView.prototype, 'byteOffset');
  const viewBytes = getter(DataView.prototype, 'byteLength');
  const bufferBytes = getter(ArrayBuffer.prototype, 'byteLength');
  const toBase64 = uncurry(Uint8Array.prototype.toBase64);
  const join = uncurry(Array.prototype.join);
  const exec = uncurry(RegExp.prototype.exec);
  const slice = uncurry(String.prototype.slice);
  const charCodeAt = uncurry(String.prototype.charCodeAt);
  const toLowerCase = uncurry(String.prototype.toLowerCase);
  const toWellFormed = uncurry(String.prototype.toWellFormed);

  const NON_ASCII = /[^\x00-\x7f]/;
  const UTF8_LABEL = /^[\t\n\f\r ]*(?:unicode-1-1-utf-8|unicode11utf8|unicode20utf8|utf-?8|x-unicode20utf8)[\t\n\f\r ]*$/;
  // Bounds the memory of one step, and of the argument list of fromCharCode.
  const CHUNK = 65536;
  const UNITS = 4096;

  // A list without a prototype: writing to it cannot reach a setter of user code.
  const newList = () => setPrototypeOf([], null);

  // ---- UTF-8

  function encodePiece(text) {
    return fromBase64(nativeBtoa(exec(NON_ASCII, text) === null ? text : unescape(encodeURIComponent(text))));
  }

  function encodeUtf8(input) {
    const text = toWellFormed(input);
    if (text.length <= CHUNK) return encodePiece(text);
    const pieces = newList();
    let total = 0;
    for (let start = 0; start < text.length;) {
      let end = start + CHUNK;
      // Not between the halves of a surrogate pair.
      if (end < text.length && (charCodeAt(text, end) & 0xfc00) === 0xdc00) end--;
      const piece = encodePiece(slice(text, start, end));
      pieces[pieces.length] = piece;
      total += typedBytes(piece);
      start = end;
    }
    const out = new Bytes(total);
    for (let i = 0, at = 0; i < pieces.length; i++) {
      typedSet(out, pieces[i], at);
      at += typedBytes(pieces[i]);
    }
    return out;
  }

  // The length of the sequence a byte leads, 0 if it leads none.
  const sequenceLength = (b) => (b < 0xc2 || b > 0xf4 ? 0 : b < 0xe0 ? 2 : b < 0xf0 ? 3 : 4);
  // The second byte has a narrower range after some leads: no overlong forms,
  // no surrogates, nothing beyond U+10FFFF.
  const lowest = (lead) => (lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80);
  const highest = (lead) => (lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf);

  // How many bytes before end begin a sequence that more bytes could complete.
  function openTail(bytes, start, end) {
    for (let back = 1; back <= 3 && end - back >= start; back++) {
      const b = bytes[end - back];
      if ((b & 0xc0) === 0x80) continue;
      if (sequenceLength(b) <= back) return 0;
      if (back > 1) {
        const second = bytes[end - back + 1];
        if (second < lowest(b) || second > highest(b)) return 0;
      }
      return back;
    }
    return 0;
  }

  // Decodes with U+FFFD for each maximal part of a malformed sequence.
  function decodeMalformed(bytes, count) {
    const out = newList();
    let units = newList();
    let needed = 0, point = 0, low = 0x80, high = 0xbf;
    for (let i = 0; i < count; i++) {
      const b = bytes[i];
      let ready = -1;
      if (needed === 0) {
        const length = sequenceLength(b);
        if (length === 0) {
          ready = b < 0x80 ? b : 0xfffd;
        } else {
          needed = length - 1;
          point = b & (0x7f >> length);
          low = lowest(b);
          high = highest(b);
        }
      } else if (b < low || b > high) {
        needed = 0;
        ready = 0xfffd;
        i--; // the byte is looked at again, as the start of something
      } else {
        low = 0x80;
        high = 0xbf;
        point = (point << 6) | (b & 0x3f);
        if (--needed === 0) ready = point;
      }
      if (ready < 0) continue;
      if (ready > 0xffff) {
        units[units.length] = 0xd7c0 + (ready >> 10);
        ready = 0xdc00 | (ready & 0x3ff);
      }
      units[units.length] = ready;
      if (units.length >= UNITS) {
        out[out.length] = apply(fromCharCode, undefined, units);
        units = newList();
      }
    }
    if (needed > 0) units[units.length] = 0xfffd;
    out[out.length] = apply(fromCharCode, undefined, units);
    return join(out, '');
  }

  function decodePiece(bytes, count, fatal) {
    const binary = nativeAtob(toBase64(bytes));
    if (exec(NON_ASCII, binary) === null) return binary;
    try {
      return decodeURIComponent(escape(binary));
    } catch {
      if (fatal) throw new TypeError('The encoded data was not valid for encoding utf-8');
      return decodeMalformed(bytes, count);
    }
  }

  function decodeUtf8(bytes, count, fatal) {
    if (count === 0) return '';
    const buffer = typedBuffer(bytes);
    const offset = typedOffset(bytes);
    const out = newList();
    for (let start = 0; start < count;) {
      let end = start + CHUNK;
      if (end >= count) end = count;
      else end -= openTail(bytes, start, end);
      out[out.length] = decodePiece(new Bytes(buffer, offset + start, end - start), end - start, fatal);
      start = end;
    }
    return out.length === 1 ? out[0] : join(out, '');
  }

  // A view of the bytes of an ArrayBuffer, typed array or DataView.
  function bytesOf(source) {
    let buffer = source, offset = 0, length;
    if (isView(source)) {
      const typed = typedTag(source) !== undefined;
      buffer = typed ? typedBuffer(source) : viewBuffer(source);
      offset = typed ? typedOffset(source) : viewOffset(source);
      length = typed ? typedBytes(source) : viewBytes(source);
    } else {
      try {
        length = bufferBytes(source);
      } catch {
        throw new TypeError('The "input" argument must be an instance of ArrayBuffer or ArrayBufferView');
      }
    }
    // A detached buffer counts as empty.
    return length === 0 ? new Bytes(0) : new Bytes(buffer, offset, length);
  }

  function dictionary(value) {
    if (value === undefined || value === null) return undefined;
    if (typeof value !== 'object' && typeof value !== 'function') {
      throw new TypeError('The "options" argument must be of type object');
    }
    return value;
  }

  const wrongThis = (name) => new TypeError(`Value of "this" must be of type ${name}`);
  const isObject = (value) => typeof value === 'object' && value !== null;

  // ---- interfaces

  let checkEncoder;
  class TextEncoder {
    #brand = true;
    static {
      checkEncoder = (self) => {
        if (!isObject(self) || !(#brand in self)) throw wrongThis('TextEncoder');
      };
    }

    get encoding() {
      checkEncoder(this);
      return 'utf-8';
    }

    encode(input = '') {
      checkEncoder(this);
      return encodeUtf8(`${input}`);
    }

    encodeInto(source, destination) {
      checkEncoder(this);
      if (arguments.length < 2) throw new TypeError('The "source" and "destination" arguments must be specified');
      const text = `${source}`;
      if (!isView(destination) || typedTag(destination) !== 'Uint8Array') {
        throw new TypeError('The "destination" argument must be an instance of Uint8Array');
      }
      const room = typedBytes(destination);
      // Each unit takes a byte or more, so nothing after the first `room` fits.
      // Half a pair at the cut takes three bytes and never fits.
      const bytes = encodeUtf8(slice(text, 0, room));
      let written = typedBytes(bytes);
      if (written > room) {
        written = room;
        while (written > 0 && (bytes[written] & 0xc0) === 0x80) written--;
      }
      typedSet(destination, new Bytes(typedBuffer(bytes), 0, written));
      return { read: decodeUtf8(bytes, written, false).length, written };
    }
  }

  let stateOf;
  class TextDecoder {
    #state = { fatal: false, ignoreBOM: false, open: false, started: false, held: undefined };
    static {
      stateOf = (self) => {
        if (!isObject(self) || !(#state in self)) throw wrongThis('TextDecoder');
        return self.#state;
      };
    }

    constructor(label = 'utf-8', options = undefined) {
      const name = `${label}`;
      const given = dictionary(options);
      if (given !== undefined) {
        this.#state.fatal = !!given.fatal;
        this.#state.ignoreBOM = !!given.ignoreBOM;
      }
      if (exec(UTF8_LABEL, toLowerCase(name)) === null) {
        throw new RangeError(`The "${name}" encoding is not supported`);
      }
    }

    get encoding() {
      stateOf(this);
      return 'utf-8';
    }

    get fatal() {
      return stateOf(this).fatal;
    }

    get ignoreBOM() {
      return stateOf(this).ignoreBOM;
    }

    decode(input = undefined, options = undefined) {
      const state = stateOf(this);
      if (input !== undefined && !isView(input)) bytesOf(input);
      const given = dictionary(options);
      const stream = given !== undefined && !!given.stream;
      return decodeStep(state, input === undefined ? new Bytes(0) : bytesOf(input), stream);
    }
  }

  // One call of decode: state.held are bytes of an unfinished sequence,
  // state.started says that the place of a byte order mark is passed.
  function decodeStep(state, input, stream) {
    let bytes = input;
    let count = typedBytes(input);
    if (!state.open) {
      state.started = false;
      state.held = undefined;
    }
    state.open = stream;
    if (state.held !== undefined) {
      const before = typedBytes(state.held);
      bytes = new Bytes(before + count);
      typedSet(bytes, state.held);
      typedSet(bytes, input, before);
      count += before;
      state.held = undefined;
    }
    if (stream) {
      const tail = openTail(bytes, 0, count);
      if (tail > 0) {
        count -= tail;
        state.held = new Bytes(tail);
        for (let i = 0; i < tail; i++) state.held[i] = bytes[count + i];
      }
    }
    const text = decodeUtf8(bytes, count, state.fatal);
    if (text === '' || state.started) return text;
    state.started = true;
    return !state.ignoreBOM && charCodeAt(text, 0) === 0xfeff ? slice(text, 1) : text;
  }

  const functions = {
    atob(data) {
      if (arguments.length === 0) throw new TypeError('The "data" argument must be specified');
      return nativeAtob(`${data}`);
    },
    btoa(data) {
      if (arguments.length === 0) throw new TypeError('The "data" argument must be specified');
      return nativeBtoa(`${data}`);
    },
  };

  // ---- installation

  const expose = (name, value, enumerable) =>
    defineProperty(global, name, { value, writable: true, enumerable, configurable: true });

  for (const type of [TextEncoder, TextDecoder]) {
    for (const key of Object.getOwnPropertyNames(type.prototype)) {
      if (key !== 'constructor') defineProperty(type.prototype, key, { enumerable: true });
    }
    defineProperty(type.prototype, Symbol.toStringTag, { value: type.name, configurable: true });
    expose(type.name, type, false);
  }
  expose('atob', functions.atob, true);
  expose('btoa', functions.btoa, true);
})
