const days = [];
for (let d = new Date('2024-02-27'); d <= new Date('2024-03-01'); d.setUTCDate(d.getUTCDate() + 1)) days.push(d.toISOString().slice(0, 10));
return days;
// => ["2024-02-27","2024-02-28","2024-02-29","2024-03-01"]
