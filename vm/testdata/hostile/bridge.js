//: memory 8M
The bridge: requests, pending calls, ids and settlements.

//// one call more than may be pending
//: pending 4
//: want fails too_many_pending_tool_calls
for (let i = 0; i < 5; i++) tools.echo(i);
await new Promise(() => 0);

//// the same caught, and the rest of the turn used
//: pending 4
//: want fails too_many_pending_tool_calls
//: emits [{"type":"text","text":"too many pending code mode tool calls"}]
for (let i = 0; i < 4; i++) tools.echo(i);
try { tools.echo(5); } catch (e) { text(e.message); }
return 'caught';

//// the same in detached code after the cell returned
//: pending 1
//: want fails too_many_pending_tool_calls
queueMicrotask(() => { tools.echo(); tools.echo(); });
return 1;

//// calls without end
//: want fails too_many_pending_tool_calls
for (;;) try { tools.echo(); } catch { break; }
return 1;

//// as many calls as may be pending
//: pending 4
//: want idle
//: requests callValue callValue call namespace
tools.echo(); tools.callValue('a'); tools.call('b'); plug.go();
await new Promise(() => 0);

//// calls one after the other, more than may be pending at a time
//: pending 1
//: settle 1 1
//: settle 2 2
//: settle 3 3
//: want value [1,2,3]
const out = [];
for (let i = 0; i < 3; i++) out.push(await tools.echo());
return out;

//// two ways to settle one call
//: settle 1 1
//: settle 1 2
//: want value 1
return await tools.echo();

//// a settlement of a call that was never made
//: settle 77 1
//: want idle
await tools.echo();

//// a rejection that becomes a plain error
//: reject 1 it failed
//: want value [true,"Error","it failed",["message"]]
try { await tools.echo(); } catch (e) { return [Object.getPrototypeOf(e) === Error.prototype, e.name, e.message, Object.getOwnPropertyNames(e).sort()]; }

//// a forged rejection does not count as that of a call
//: reject 1 it failed
//: want throws Error: it failed
try { await tools.echo(); } catch (e) { throw Object.assign(new Error(e.message), e); }

//// search queries without end
//: want fails memory_limit_exceeded
const q = 'x'.repeat(1e6);
for (;;) tools.search(q);

//// requests for descriptions without end
//: want fails memory_limit_exceeded
for (;;) tools.describe('x');

//// yields without end
//: want fails memory_limit_exceeded
for (;;) yield_control('r'.repeat(1e5));

//// a query that is too large
//: input 64K
//: requests
//: want throws Error: code mode tool input is too large.
await tools.search('x'.repeat(1e6));

//// an id that is too large
//: input 64K
//: requests
//: want throws Error: code mode tool input is too large.
await tools.call('x'.repeat(1e6), {});

//// arguments of a namespace call that are too large together
//: input 64K
//: requests
//: want throws Error: code mode tool input is too large.
await plug.go(...Array(100).fill('x'.repeat(1e4)));

//// a reason to yield that is too large
//: input 64K
//: requests
//: want throws Error: code mode tool input is too large.
await yield_control('x'.repeat(1e6));

//// an input of just the size that is allowed
//: input 64K
//: requests callValue
//: want idle
await tools.echo('x'.repeat(65534));

//// an input one character over it
//: input 64K
//: requests
//: want throws Error: code mode tool input is too large.
await tools.echo('x'.repeat(65535));

//// inputs that are no JSON
//: requests
//: want value ["TypeError","TypeError","TypeError","TypeError","TypeError"]
const round = {};
round.a = round;
const all = await Promise.allSettled([round, () => 1, Symbol('x'), { get a() { throw new Error('no'); } }, [Promise.resolve()]].map((v) => tools.echo(v)));
return all.map((r) => r.reason.name);

//// ids that are no strings
//: requests callValue call describe search
//: want idle
const bad = { toString() { throw new Error('asked'); } };
tools.callValue(bad); tools.call(7, {}); tools.describe(null); tools.search(undefined);
await new Promise(() => 0);

//// a limit that is a trap
//: requests
//: want throws Error: limit
await tools.search('x', { get limit() { throw new Error('limit'); } });

//// an input that makes calls while it is read
//: pending 4
//: want fails too_many_pending_tool_calls
const again = () => ({ get a() { tools.echo(again()); return 1; } });
tools.echo(again());
await new Promise(() => 0);

//// a timer's callback that is no function
//: want throws TypeError: setTimeout callback must be a function
setTimeout('text(1)');

//// clearing the timers of others
//: requests callValue sleep
//: want idle
tools.echo();
setTimeout(() => 0);
for (let i = -10; i < 10; i++) if (i !== 2) clearTimeout(i);
clearTimeout({ valueOf: () => 2 });
await new Promise(() => 0);

//// clearing a timer twice
//: want value 128
const ids = [];
for (let i = 0; i < 128; i++) ids.push(setTimeout(() => 0));
clearTimeout(ids[0]);
clearTimeout(ids[0]);
let n = 127;
try { for (;;) { setTimeout(() => 0); n++; } } catch { }
return n;

//// timers set and cleared without end in turns
//: want fails timeout
//: fire 1
setTimeout(() => { for (;;) clearTimeout(setTimeout(() => 0)); });
await new Promise(() => 0);

//// a delay that is a trap
//: want throws Error: asked
setTimeout(() => 0, { valueOf() { throw new Error('asked'); } });

//// a namespace function taken elsewhere
//: requests namespace
//: want idle
const { go } = plug;
await go.call(null, 1);

//// names of tools that no tool has
//: want value ["undefined","undefined","undefined","undefined"]
return [typeof tools['__proto__'], typeof tools.then, typeof tools.toJSON, typeof tools['x'.repeat(1e5)]];

//// very many names of tools that no tool has
//: want value 20000
let n = 0;
for (let i = 0; i < 2e4; i++) if (tools['no' + i] === undefined) n++;
return n;
