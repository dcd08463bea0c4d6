const k = 'a';
return { [k + 1]: 1, [`${k}2`]() { return 2; }, get [k]() { return 3; } }.a2();
// => 2
