const a = new Set([1, 2, 3]), b = new Set([2, 3, 4]);
return [[...a.union(b)], [...a.intersection(b)], [...a.difference(b)], [...a.symmetricDifference(b)], new Set([2]).isSubsetOf(a), a.isSupersetOf(new Set([1])), a.isDisjointFrom(new Set([9]))];
// => (not in Node 20) [[1,2,3,4],[2,3],[1],[1,4],true,true,true]
