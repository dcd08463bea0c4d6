let keep = null;
for (let round = 0; round < 6; round++) {
  const junk = [];
  for (let i = 0; i < 2000; i++) junk.push({ i, s: 'junk' + i, self: null });
  for (const j of junk) j.self = j;
  keep = junk[round * 100];
  await tools.describe('round' + round).catch(() => 0);
}
return [keep.i, keep.self === keep];
