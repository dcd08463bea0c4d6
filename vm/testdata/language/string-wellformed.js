return ['\ud800'.isWellFormed(), '\ud800a'.toWellFormed(), 'ok'.isWellFormed()];
// => [false,"�a",true]
