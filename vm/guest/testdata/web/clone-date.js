const d = new Date(123456789); d.extra = 1;
const c = structuredClone(d);
return [c.getTime(), c instanceof Date, c !== d, c.extra === undefined, Number.isNaN(structuredClone(new Date(NaN)).getTime())];
