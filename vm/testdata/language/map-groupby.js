return [...Map.groupBy(['a', 'bb', 'cc'], (s) => s.length)];
// => (not in Node 20) [[1,["a"]],[2,["bb","cc"]]]
