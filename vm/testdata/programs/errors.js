const caught = [];
class Own extends Error { constructor(m, o) { super(m, o); this.name = 'Own'; } }
for (let i = 0; i < 4; i++) {
  try {
    try { await tools.callValue('fails', { i }); throw new Own('none ' + i); } catch (e) { throw new Own('outer', { cause: e }); }
  } catch (e) { caught.push([e.name, e.message, e.cause.message, e instanceof Own, e.stack.split('\n').length > 1]); }
}
text(caught);
const last = await tools.callValue('end').catch((e) => e);
if (last instanceof Error) throw last;
return last.n;
