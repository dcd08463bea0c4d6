return ['straße'.toUpperCase(), 'ΑΣ'.toLowerCase(), 'İ'.toLowerCase().length, 'ǆ'.toUpperCase()];
// => ["STRASSE","ας",2,"Ǆ"]
