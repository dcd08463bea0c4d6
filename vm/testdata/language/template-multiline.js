return `a
  b`.split('\n');
// => ["a","  b"]
