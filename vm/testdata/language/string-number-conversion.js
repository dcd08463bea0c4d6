return [Number(''), Number(' 12 '), Number('0x1f'), Number('1e3'), Number('abc'), parseInt('12px'), parseInt('z', 36), parseFloat('3.14.15'), +true, Number(null), Number([5])];
// => [0,12,31,1000,null,12,35,3.14,1,0,5]
