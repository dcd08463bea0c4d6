return [...'a1b22'.matchAll(/([a-z])(\d+)/g)].map((m) => [m[1], m[2], m.index]);
// => [["a","1",0],["b","22",2]]
