// Text, percent-encoding and hosts of the URL standard, for the other web-url
// files. Evaluated once while the base image is built, before any user
// code and after web-encoding.js, whose TextDecoder it captures. It installs no
// global: what it makes goes to the later files as engine.webUrl.
//
// Hosts outside ASCII: there is no UTS #46 table here. A host is mapped by
// NFKC, lower-casing and dropping the usual ignorable characters, then checked
// for characters no host may have, and encoded with punycode. So some
// characters that the table disallows (unassigned ones above all) or maps in
// another way give a host here, bidirectional and joiner rules are not checked,
// and a label outside ASCII of more than 1000 characters is refused.
(function (global, engine) {
  'use strict';

  const uncurry = Function.prototype.bind.bind(Function.prototype.call);
  const { setPrototypeOf } = Object;
  const { fromCharCode, fromCodePoint } = String;
  const { fromBase64 } = Uint8Array;
  const { unescape, encodeURIComponent, decodeURIComponent, parseInt, btoa } = global;
  const { floor } = Math;
  const join = uncurry(Array.prototype.join);
  const exec = uncurry(RegExp.prototype.exec);
  const slice = uncurry(String.prototype.slice);
  const indexOf = uncurry(String.prototype.indexOf);
  const lastIndexOf = uncurry(String.prototype.lastIndexOf);
  const startsWith = uncurry(String.prototype.startsWith);
  const charAt = uncurry(String.prototype.charAt);
  const charCodeAt = uncurry(String.prototype.charCodeAt);
  const codePointAt = uncurry(String.prototype.codePointAt);
  const lower = uncurry(String.prototype.toLowerCase);
  const upper = uncurry(String.prototype.toUpperCase);
  const normalize = uncurry(String.prototype.normalize);
  const toWellFormed = uncurry(String.prototype.toWellFormed);
  const radixText = uncurry(Number.prototype.toString);
  const decodeBytes = uncurry(global.TextDecoder.prototype.decode);
  const lossyUtf8 = new global.TextDecoder('utf-8', { ignoreBOM: true });

  // A list without a prototype: writing to it cannot reach a setter of user code.
  const newList = () => setPrototypeOf([], null);
  const push = (list, item) => {
    list[list.length] = item;
  };
  const has = (re, text) => exec(re, text) !== null;
  const scalarText = (value) => toWellFormed(`${value}`);

  function splitText(text, separator) {
    const out = newList();
    let start = 0;
    for (let at; (at = indexOf(text, separator, start)) >= 0; start = at + 1) push(out, slice(text, start, at));
    push(out, slice(text, start));
    return out;
  }

  // Gives text with every match of a global expression replaced.
  function replaceAll(text, re, replacement) {
    re.lastIndex = 0;
    let match = exec(re, text);
    if (match === null) return text;
    const out = newList();
    let start = 0;
    for (; match !== null; match = exec(re, text)) {
      push(out, slice(text, start, match.index));
      push(out, typeof replacement === 'string' ? replacement : replacement(match[0]));
      start = match.index + match[0].length;
    }
    push(out, slice(text, start));
    return join(out, '');
  }

  // ---- percent-encoding

  // A set is a global expression that matches a run of characters outside what a
  // part may hold as it is. encodeURIComponent leaves !'()~ alone, so a set that
  // has one of these matches it alone.
  const CONTROL = /[^ -~]+/g;

  function encodeRun(run) {
    const code = charCodeAt(run, 0);
    return run.length === 1 && code < 0x80 ? `%${code < 16 ? '0' : ''}${upper(radixText(code, 16))}` : encodeURIComponent(run);
  }
  const encode = (text, set) => replaceAll(text, set, encodeRun);

  // Percent-decodes, then reads the bytes as UTF-8, malformed ones as U+FFFD.
  function percentDecode(text) {
    if (indexOf(text, '%') < 0) return text;
    try {
      return decodeURIComponent(text);
    } catch {
      const binary = replaceAll(unescape(encodeURIComponent(text)), /%[0-9A-Fa-f]{2}/g, unescape);
      return decodeBytes(lossyUtf8, fromBase64(btoa(binary)));
    }
  }

  // ---- hosts: null says failure

  const FORBIDDEN_HOST = /[\0\t\n\r #/:<>?@[\\\]^|]/;
  const FORBIDDEN_DOMAIN = /[\0-\x20#%/:<>?@[\\\]^|\x7f]/;
  const NON_ASCII = /[^\0-\x7f]/;
  const PUNYCODE_LABEL = /(?:^|\.)xn--/i;
  const IGNORED = /[\u00ad\u034f\u180b-\u180d\u180f\u200b\u2060\u2064\ufe00-\ufe0f\ufeff]/g;
  const NOT_IN_LABEL = /[\p{Z}\p{Cc}\p{Co}\ufffd\u061c\u200e\u200f\u2028-\u202e\u2061-\u2063\u2066-\u206f\ufff9-\ufffb]|^\p{M}/u;
  const MAX_LABEL = 1000;

  function parseHost(text, special) {
    if (startsWith(text, '[')) {
      if (charAt(text, text.length - 1) !== ']') return null;
      const pieces = parseIPv6(slice(text, 1, -1));
      return pieces === null ? null : `[${serializeIPv6(pieces)}]`;
    }
    if (!special) return has(FORBIDDEN_HOST, text) ? null : encode(text, CONTROL);
    const domain = domainToASCII(percentDecode(text));
    if (domain === null || domain === '' || has(FORBIDDEN_DOMAIN, domain)) return null;
    return endsInNumber(domain) ? parseIPv4(domain) : domain;
  }

  function mapDomain(text) {
    // The final sigma rule of toLowerCase is not wanted; U+3002 is a dot.
    const plain = replaceAll(replaceAll(normalize(text, 'NFKC'), IGNORED, ''), /\u03a3/g, '\u03c3');
    return replaceAll(normalize(lower(plain), 'NFKC'), /\u3002/g, '.');
  }

  function domainToASCII(domain) {
    if (!has(NON_ASCII, domain) && !has(PUNYCODE_LABEL, domain)) return lower(domain);
    const labels = splitText(mapDomain(domain), '.');
    for (let i = 0; i < labels.length; i++) {
      let label = labels[i];
      if (startsWith(label, 'xn--')) {
        label = punycodeDecode(slice(label, 4));
        if (label === null || !has(NON_ASCII, label) || mapDomain(label) !== label) return null;
        if (`xn--${punycodeEncode(label)}` !== labels[i]) return null;
      }
      if (!has(NON_ASCII, label)) continue;
      if (has(NOT_IN_LABEL, label)) return null;
      const encoded = punycodeEncode(label);
      if (encoded === null) return null;
      labels[i] = `xn--${encoded}`;
    }
    return join(labels, '.');
  }

  // RFC 3492.
  const digitOf = (n) => fromCharCode(n < 26 ? n + 97 : n + 22);
  const threshold = (k, bias) => (k <= bias ? 1 : k >= bias + 26 ? 26 : k - bias);
  function adaptBias(delta, count, first) {
    let rest = first ? floor(delta / 700) : delta >> 1;
    rest += floor(rest / count);
    let k = 0;
    for (; rest > 455; k += 36) rest = floor(rest / 35);
    return k + floor((36 * rest) / (rest + 38));
  }

  function codePoints(text) {
    const out = newList();
    for (let i = 0; i < text.length;) {
      const point = codePointAt(text, i);
      push(out, point);
      i += point > 0xffff ? 2 : 1;
    }
    return out;
  }

  function punycodeEncode(label) {
    // Work grows with the square of the length.
    if (label.length > MAX_LABEL) return null;
    const points = codePoints(label);
    const total = points.length;
    const out = newList();
    for (let i = 0; i < total; i++) if (points[i] < 0x80) push(out, fromCharCode(points[i]));
    const basic = out.length;
    if (basic > 0) push(out, '-');
    let n = 0x80, delta = 0, bias = 72;
    for (let done = basic; done < total; delta++, n++) {
      let next = 0x110000;
      for (let i = 0; i < total; i++) if (points[i] >= n && points[i] < next) next = points[i];
      delta += (next - n) * (done + 1);
      n = next;
      for (let i = 0; i < total; i++) {
        if (points[i] < n) delta++;
        if (points[i] !== n) continue;
        let q = delta;
        for (let k = 36; ; k += 36) {
          const t = threshold(k, bias);
          if (q < t) break;
          push(out, digitOf(t + ((q - t) % (36 - t))));
          q = floor((q - t) / (36 - t));
        }
        push(out, digitOf(q));
        bias = adaptBias(delta, ++done, done === basic + 1);
        delta = 0;
      }
    }
    return join(out, '');
  }

  function punycodeDecode(text) {
    if (text.length > MAX_LABEL * 4) return null;
    const split = lastIndexOf(text, '-');
    const points = codePoints(split > 0 ? slice(text, 0, split) : '');
    let n = 0x80, i = 0, bias = 72;
    for (let at = split > 0 ? split + 1 : 0; at < text.length;) {
      const before = i;
      for (let weight = 1, k = 36; ; k += 36) {
        const code = at < text.length ? charCodeAt(text, at++) : 0;
        const digit = code >= 97 && code <= 122 ? code - 97 : code >= 48 && code <= 57 ? code - 22 : 36;
        if (digit > 35) return null;
        i += digit * weight;
        if (i > 0x7fffffff) return null;
        const t = threshold(k, bias);
        if (digit < t) break;
        weight *= 36 - t;
      }
      const count = points.length + 1;
      bias = adaptBias(i - before, count, before === 0);
      n += floor(i / count);
      i %= count;
      if (n > 0x10ffff || (n >= 0xd800 && n <= 0xdfff)) return null;
      for (let j = points.length; j > i; j--) points[j] = points[j - 1];
      points[i++] = n;
    }
    const out = newList();
    for (let j = 0; j < points.length; j++) push(out, fromCodePoint(points[j]));
    return join(out, '');
  }

  const endsInNumber = (domain) => has(/(?:^|\.)(?:[0-9]+|0x[0-9a-f]*)\.?$/, domain);

  function parseIPv4(domain) {
    const parts = splitText(domain, '.');
    if (parts.length > 1 && parts[parts.length - 1] === '') parts.length--;
    if (parts.length > 4) return null;
    let address = 0;
    for (let i = 0; i < parts.length; i++) {
      const part = parts[i];
      let value = NaN;
      if (has(/^0x[0-9a-f]*$/, part)) value = part.length === 2 ? 0 : parseInt(part, 16);
      else if (has(/^0[0-7]*$/, part)) value = parseInt(part, 8);
      else if (has(/^[1-9][0-9]*$/, part)) value = parseInt(part, 10);
      const last = i === parts.length - 1;
      if (!(value < (last ? 256 ** (4 - i) : 256))) return null;
      address += value * (last ? 1 : 256 ** (3 - i));
    }
    return `${floor(address / 0x1000000)}.${(address >> 16) & 255}.${(address >> 8) & 255}.${address & 255}`;
  }

  // Eight numbers of 16 bits.
  function parseIPv6(text) {
    if (text.length > 45 || !has(/^[0-9A-Fa-f:.]*$/, text)) return null;
    const gap = indexOf(text, '::');
    if (gap < 0) {
      const pieces = ipv6Pieces(text);
      return pieces !== null && pieces.length === 8 ? pieces : null;
    }
    const head = ipv6Pieces(slice(text, 0, gap), false);
    const tail = ipv6Pieces(slice(text, gap + 2), true);
    if (head === null || tail === null || head.length + tail.length > 7) return null;
    while (head.length + tail.length < 8) push(head, 0);
    for (let i = 0; i < tail.length; i++) push(head, tail[i]);
    return head;
  }

  // The pieces of a part without "::"; only the last one may be an IPv4 address.
  function ipv6Pieces(text, allowIPv4 = true) {
    const out = newList();
    if (text === '') return out;
    const parts = splitText(text, ':');
    for (let i = 0; i < parts.length; i++) {
      const part = parts[i];
      if (has(/^[0-9A-Fa-f]{1,4}$/, part)) {
        push(out, parseInt(part, 16));
      } else {
        const quad = exec(/^(0|[1-9][0-9]{0,2})\.(0|[1-9][0-9]{0,2})\.(0|[1-9][0-9]{0,2})\.(0|[1-9][0-9]{0,2})$/, part);
        if (quad === null || !allowIPv4 || i !== parts.length - 1) return null;
        for (let j = 1; j <= 4; j++) if (+quad[j] > 255) return null;
        push(out, quad[1] * 256 + +quad[2]);
        push(out, quad[3] * 256 + +quad[4]);
      }
    }
    return out;
  }

  function serializeIPv6(pieces) {
    let gap = -1, gapLength = 1;
    for (let i = 0; i < 8; i++) {
      let end = i;
      while (end < 8 && pieces[end] === 0) end++;
      if (end - i > gapLength) {
        gap = i;
        gapLength = end - i;
      }
    }
    let out = '';
    for (let i = 0; i < 8; i++) {
      if (i === gap) {
        out += i === 0 ? '::' : ':';
        i += gapLength - 1;
        continue;
      }
      out += radixText(pieces[i], 16);
      if (i < 7) out += ':';
    }
    return out;
  }

  engine.webUrl = {
    __proto__: null, newList, push, has, scalarText, splitText, replaceAll,
    encode, encodeRun, percentDecode, parseHost,
  };
})
