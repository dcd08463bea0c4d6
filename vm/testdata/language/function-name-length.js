const anon = function () {}, arrow = () => 0;
return [anon.name, arrow.name, (class K {}).name, ({ m() {} }).m.name, (function (a, b) {}).length, Object.getOwnPropertyDescriptor({ get g() { return 1; } }, 'g').get.name];
// => ["anon","arrow","K","m",2,"get g"]
