return [typeof null, typeof undefined, typeof (() => 0), typeof 1n, typeof Symbol(), typeof class {}, typeof undeclared];
// => ["object","undefined","function","bigint","symbol","function","undefined"]
