const w = new WeakMap(), k = {};
w.set(k, 5);
let bad; try { w.set(1, 2); } catch (e) { bad = e.name; }
return [w.get(k), w.has({}), bad];
// => [5,false,"TypeError"]
