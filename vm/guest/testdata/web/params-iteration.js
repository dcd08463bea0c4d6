const q = new URLSearchParams('a=1&b=2');
const it = q.entries();
return [[...q.keys()], [...q.values()], [...q.entries()], it.next(), it.next(), it.next(), it.next(), it[Symbol.iterator]() === it, Object.prototype.toString.call(it)];
