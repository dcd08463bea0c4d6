const r = /a(b)+\/c/giu; r.lastIndex = 3; r.x = 1;
const c = structuredClone(r);
return [c.source, c.flags, c.lastIndex, c instanceof RegExp, c.x === undefined, c.test('ab/c'), structuredClone(/x/dsy).flags];
