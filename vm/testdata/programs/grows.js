const big = [];
for (let i = 0; i < 50; i++) {
  big.push('block ' + i + 'abcdefgh'.repeat(12000));
  if (i === 45) await tools.describe('grow' + i).catch(() => 0);
}
const sum = big.reduce((a, s) => a + s.length, 0);
big.length = 0;
await tools.describe('shrunk').catch(() => 0);
return sum;
