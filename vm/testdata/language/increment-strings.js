let s = '5'; s++;
let t = 'a'; t++;
return [s, String(t)];
// => [6,"NaN"]
