const o = { [Symbol.toPrimitive]: (hint) => hint };
return [`${o}`, o + '', +o];
// => ["string","default",null]
