return Object.groupBy([1, 2, 3, 4, 5], (n) => n % 2 ? 'odd' : 'even');
// => (not in Node 20) {"odd":[1,3,5],"even":[2,4]}
