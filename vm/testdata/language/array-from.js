return [Array.from('abc', (c) => c + c), Array.from({ length: 3 }, (_, i) => i), Array.of(7), Array.from(new Map([[1, 2]])), Array(3).fill(0)];
// => [["aa","bb","cc"],[0,1,2],[7],[[1,2]],[0,0,0]]
