const d = new Date(0);
return [d.toUTCString(), d.toDateString(), d.toJSON(), String(new Date(NaN))];
// => ["Thu, 01 Jan 1970 00:00:00 GMT","Thu Jan 01 1970","1970-01-01T00:00:00.000Z","Invalid Date"]
