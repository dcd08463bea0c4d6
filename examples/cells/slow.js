// The report takes longer than one leg. The run is parked, holds nothing in any worker, and goes on at this line.
text("asking for the report");
const report = await tools.report({ topic: "rain" });
text(`it has ${report.pages} pages`);
return report;
