return [String({}), String([1, [2, 3]]), String(null), `${{ toString: () => 'ts', valueOf: () => 1 }}`, { valueOf: () => 4 } * 2, Object.prototype.toString.call([])];
// => ["[object Object]","1,2,3","null","ts",8,"[object Array]"]
