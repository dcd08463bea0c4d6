return ['a1b2c'.split(/\d/), 'a1b'.split(/(\d)/), ''.split(''), ''.split(','), 'abc'.split(''), ' a  b '.split(' ')];
// => [["a","b","c"],["a","1","b"],[],[""],["a","b","c"],["","a","","b",""]]
