return [Math.round(2.5), Math.round(-2.5), Math.trunc(-4.7), Math.sign(-3), Math.cbrt(27), Math.hypot(3, 4), Math.clz32(1), Math.fround(5.5), Math.imul(3, 4), Math.log2(8), Math.max(), Math.min(1, NaN), Math.floor(-0.5)].map(String);
// => ["3","-2","-4","-1","3","5","31","5.5","12","3","-Infinity","NaN","-1"]
