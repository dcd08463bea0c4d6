const saved = { exec: RegExp.prototype.exec, slice: String.prototype.slice, indexOf: String.prototype.indexOf, join: Array.prototype.join, push: Array.prototype.push, it: Array.prototype[Symbol.iterator], replace: String.prototype.replace, lower: String.prototype.toLowerCase, enc: globalThis.encodeURIComponent };
const bad = () => { throw new Error('patched'); };
let out;
try {
  RegExp.prototype.exec = String.prototype.slice = String.prototype.indexOf = Array.prototype.join = Array.prototype.push = Array.prototype[Symbol.iterator] = String.prototype.replace = String.prototype.toLowerCase = bad;
  globalThis.encodeURIComponent = bad;
  const u = new URL('../é?a=b c#d', 'HTTP://U:P@Example.com:81/x/y/z');
  u.searchParams.append('k', '&'); u.host = '127.1'; u.searchParams.sort();
  out = { 0: u.href, 1: u.searchParams.get('k'), 2: u.origin };
} finally {
  RegExp.prototype.exec = saved.exec; String.prototype.slice = saved.slice; String.prototype.indexOf = saved.indexOf; Array.prototype.join = saved.join; Array.prototype.push = saved.push; Array.prototype[Symbol.iterator] = saved.it; String.prototype.replace = saved.replace; String.prototype.toLowerCase = saved.lower; globalThis.encodeURIComponent = saved.enc;
}
return out;
