return [(1234.5).toString(), [1, 2].toString(), typeof Number.prototype.toLocaleString];
// => ["1234.5","1,2","function"]
