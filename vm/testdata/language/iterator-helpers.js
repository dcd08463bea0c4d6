return [[1, 2, 3, 4].values().filter((x) => x % 2).map((x) => x * 10).toArray(), new Set([5, 6]).values().take(1).toArray(), [1, 2, 3].values().drop(1).reduce((a, b) => a + b), [1, 2].values().some((x) => x > 1)];
// => (not in Node 20) [[10,30],[5],5,true]
