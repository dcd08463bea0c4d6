const a = await tools.describe('a').catch(() => null);
function deeper(n) { if (n === 0) throw new RangeError('at the end of ' + typeof a); deeper(n - 1); }
text('before');
deeper(5);
