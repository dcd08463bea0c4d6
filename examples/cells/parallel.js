// Calls to different cities do not depend on each other, so they go out together.
const cities = ["Oslo", "Rome", "Lima"];
const reports = await Promise.all(cities.map((city) => tools.weather({ city })));
for (const { city, celsius } of reports) text(`${city}: ${celsius} C`);
const warmest = reports.reduce((a, b) => (b.celsius > a.celsius ? b : a));
json({ asked: reports.length });
return { warmest: warmest.city };
