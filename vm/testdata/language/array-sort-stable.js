return Array.from({ length: 100 }, (_, i) => ({ i, k: i % 3 })).sort((a, b) => a.k - b.k).map((x) => x.i).slice(30, 40);
// => [90,93,96,99,1,4,7,10,13,16]
