return [1, -0, 'x', true, null, undefined, 1.5].map((v) => Object.is(structuredClone(v), v)).concat([structuredClone(5n) === 5n, Number.isNaN(structuredClone(NaN))]);
