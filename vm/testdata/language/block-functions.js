{ function inner() { return 1; } }
return typeof inner;
// => "function"
