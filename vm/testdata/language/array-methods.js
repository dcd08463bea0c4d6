const a = [5, 1, 4];
return [a.map((x) => x + 1), a.filter((x) => x > 1), a.reduce((s, x) => s + x), a.reduceRight((s, x) => s + '-' + x), a.find((x) => x < 5), a.findIndex((x) => x === 4), a.findLast((x) => x > 1), a.findLastIndex((x) => x > 4), a.some((x) => x > 4), a.every((x) => x > 4)];
// => [[6,2,5],[5,4],10,"4-1-5",1,2,4,0,true,false]
