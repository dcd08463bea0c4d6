return Math.max(...[3, 9, 2], ...new Set([11]));
// => 11
