const a = [1, 2, 3, 4];
return [a.slice(1, -1), a.slice(-2), a.at(-1), a.at(9) ?? null, a.slice()];
// => [[2,3],[3,4],4,null,[1,2,3,4]]
