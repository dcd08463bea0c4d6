const g = (k) => Object.getOwnPropertyDescriptor(URL.prototype, k);
return [g('href').get.name, g('href').set.name, g('origin').get.name, g('origin').set === undefined, g('searchParams').set === undefined, URL.prototype.toString.name, URL.prototype.toJSON.length, URL.canParse.name, URL.canParse.length];
