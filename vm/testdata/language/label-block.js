a: { if (true) break a; return 'no'; }
return 'yes';
// => "yes"
