let n = 0;
do { n += 3; } while (n < 10);
return n;
// => 12
