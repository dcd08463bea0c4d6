return ['abc'.replace('b', "[$&$`$'$$]"), 'aaa'.replace('a', 'b'), 'x1y2'.replace(/(?<l>[a-z])(\d)/g, '$2$<l>')];
// => ["a[bac$]c","baa","1x2y"]
