const größe = 3, \u0061b = 4, $ = 1, _ = 2;
return größe + ab + $ + _;
// => 10
