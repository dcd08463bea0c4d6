globalThis.made = 5;
var viaVar = 1;
return [made, typeof globalThis.viaVar, delete globalThis.made, typeof made];
// => [5,"undefined",true,"undefined"]
