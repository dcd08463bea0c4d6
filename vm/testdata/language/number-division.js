return [1 / 0, -1 / 0, 0 / 0, 5 % 3, -5 % 3, 5.5 % 2, -0].map(String);
// => ["Infinity","-Infinity","NaN","2","-2","1.5","0"]
