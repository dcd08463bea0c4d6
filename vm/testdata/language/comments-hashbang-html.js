let x = 1; // a
/* b */ x += 1; /** c */
return x;
// => 2
