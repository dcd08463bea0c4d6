const seen = new Array(1024).fill(0);
let hash = 7;
for (let i = 0; i < 200000; i++) {
  hash = (Math.imul(hash, 31) + i) | 0;
  seen[hash & 1023]++;
}
let text = '';
for (let key = 0; key < seen.length; key++) text += key + ':' + seen[key] + ',';
return [hash, text.length, text.split(',').map((part) => part.length).reduce((a, b) => a + b)];
