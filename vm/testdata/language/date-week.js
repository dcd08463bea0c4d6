const day = (s) => ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'][new Date(s).getUTCDay()];
return [day('2024-02-29'), day('1999-12-31'), day('2000-03-01')];
// => ["Thu","Fri","Wed"]
