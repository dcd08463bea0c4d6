return ['😀'.charAt(0).length, '😀'.at(0).charCodeAt(0), [...'a😀'].reverse().join('')];
// => [1,55357,"😀a"]
