const d = new Date(Date.UTC(2024, 1, 29, 12, 30, 15, 500));
return [d.toISOString(), d.getUTCDay(), d.getTime(), d.getMonth(), d.getHours(), d.getTimezoneOffset(), JSON.stringify(d)];
// => ["2024-02-29T12:30:15.500Z",4,1709209815500,1,12,0,"\"2024-02-29T12:30:15.500Z\""]
