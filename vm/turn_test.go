package vm

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"codemode/protocol"
)

func startVM(tb testing.TB, limits Limits) *VM {
	tb.Helper()
	v, err := testEngine(tb).Start(dataHost{}, limits)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(v.Close)
	return v
}

func mustRun(tb testing.TB, v *VM, code string) Turn {
	tb.Helper()
	turn, err := v.Run(Cell{Code: code}, farDeadline())
	if err != nil {
		tb.Fatalf("run: %v", err)
	}
	return turn
}

func mustSettle(tb testing.TB, v *VM, s Settlement) Turn {
	tb.Helper()
	turn, err := v.Settle(s, farDeadline())
	if err != nil {
		tb.Fatalf("settle %+v: %v", s, err)
	}
	return turn
}

func TestReturnedValues(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]string{
		"":                                  "null",
		"return 1 + 1":                      "2",
		"return await Promise.resolve('x')": `"x"`,
		"return this === undefined":         "false",
		"undeclared = 1; return undeclared": "1",
		"return [1n, NaN, undefined, () => 1, new Date(0)]": `["1",null,null,null,"1970-01-01T00:00:00.000Z"]`,
		"return 1 // comment":                               "1",
		"return `a\n/* */`":                                 `"a\n/* */"`,
	} {
		if got := returned(t, code); got != want {
			t.Errorf("%s\ngot  %s\nwant %s", code, got, want)
		}
	}
}

func TestOutputInOrder(t *testing.T) {
	t.Parallel()
	turn, err := runCell(t, "text('a'); json({b:1}); console.warn('c', 2); text([1])")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, item := range turn.Output {
		got = append(got, string(item))
	}
	want := []string{`{"type":"text","text":"a"}`, `{"type":"json","value":{"b":1}}`, `{"type":"text","text":"[warn] c 2"}`, `{"type":"text","text":"[1]"}`}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestRequestsAndSettlements(t *testing.T) {
	t.Parallel()
	v := startVM(t, testLimits())
	turn := mustRun(t, v, `
const a = tools.callValue('x', { n: 1 });
const b = tools.search('q', { limit: 2 });
try { await a; } catch (e) { text(e.message + (e instanceof Error)); }
const hits = await b;
return [hits.length, await tools.describe('d')];`)
	want := []Request{
		{ID: 1, Method: protocol.MethodCallValue, Payload: json.RawMessage(`["x",{"n":1}]`)},
		{ID: 2, Method: protocol.MethodSearch, Payload: json.RawMessage(`["q",2]`)},
	}
	if !reflect.DeepEqual(turn.Requests, want) {
		t.Fatalf("got %+v, want %+v", turn.Requests, want)
	}
	if c := v.Counters(); c.Pending != 1 || c.NextID != 3 {
		t.Errorf("counters %+v, want 1 pending and next id 3", c)
	}
	if turn := mustSettle(t, v, Settlement{ID: 2, Value: json.RawMessage(`[1,2,3]`)}); len(turn.Requests)+len(turn.Output) != 0 {
		t.Errorf("the cell went on before what it waits for: %+v", turn)
	}
	turn = mustSettle(t, v, Settlement{ID: 1, Remote: true, Err: "no such tool", Sent: true})
	if len(turn.Output) != 1 || string(turn.Output[0]) != `{"type":"text","text":"no such tooltrue"}` {
		t.Errorf("output %s", turn.Output)
	}
	if len(turn.Requests) != 1 || turn.Requests[0].ID != 3 || turn.Requests[0].Method != protocol.MethodDescribe {
		t.Fatalf("requests %+v, want describe with id 3", turn.Requests)
	}
	turn = mustSettle(t, v, Settlement{ID: 3})
	if string(turn.Returned) != "[3,null]" {
		t.Errorf("returned %s, want [3,null]", turn.Returned)
	}
	wantCounts := Counters{NextID: 4, OutputBytes: 2 + len(`{"type":"text","text":"no such tooltrue"}`)}
	if c := v.Counters(); c != wantCounts {
		t.Errorf("counters %+v, want %+v", c, wantCounts)
	}
}

func TestTimers(t *testing.T) {
	t.Parallel()
	v := startVM(t, testLimits())
	turn := mustRun(t, v, `
const fire = (...a) => text(a);
const a = setTimeout(fire, 10, 'a', 1), b = setTimeout(fire), c = setTimeout(fire, 1e12);
clearTimeout(b); clearTimeout(b); clearTimeout(77); clearTimeout('1');
setTimeout(() => { clearTimeout(c); throw new Error('in a timer'); }, -5);
setTimeout(fire, 'x');
let wrong; try { setTimeout('code'); } catch (e) { wrong = e instanceof TypeError; }
return [a, b, c, wrong];`)
	if got := string(turn.Returned); got != "[1,2,3,true]" {
		t.Errorf("returned %s", got)
	}
	var delays []string
	for _, r := range turn.Requests {
		if r.Method != protocol.MethodSleep {
			t.Errorf("request %+v is no timer", r)
		}
		delays = append(delays, string(r.Payload))
	}
	if got := strings.Join(delays, " "); got != "10 86400000 0 0" {
		t.Errorf("delays %s", got)
	}
	if len(turn.Cleared) != 0 {
		t.Errorf("cleared %v; a timer of the same turn is not told of", turn.Cleared)
	}
	if c := v.Counters(); c.Timers != 4 || c.Pending != 0 {
		t.Errorf("counters %+v, want 4 timers", c)
	}
	turn = mustSettle(t, v, Settlement{ID: 1, Timer: true})
	if len(turn.Output) != 1 || string(turn.Output[0]) != `{"type":"text","text":"[\"a\",1]"}` {
		t.Errorf("output %s", turn.Output)
	}
	if turn = mustSettle(t, v, Settlement{ID: 4, Timer: true}); turn.Thrown != nil {
		t.Errorf("an error in a timer became the cell's: %+v", turn.Thrown)
	}
	if !reflect.DeepEqual(turn.Cleared, []int{3}) {
		t.Errorf("cleared %v, want [3]", turn.Cleared)
	}
	if turn = mustSettle(t, v, Settlement{ID: 5, Timer: true}); len(turn.Output) != 1 {
		t.Errorf("the timer after a thrown one gave %+v", turn)
	}
}

func TestTooManyTimers(t *testing.T) {
	t.Parallel()
	got := returned(t, `
let n = 0, error;
try { for (;;) { setTimeout(() => 0, 1); n++; } } catch (e) { error = e; }
const freed = (clearTimeout(5), setTimeout(() => 0));
return [n, error.name, error.message, freed];`)
	if want := fmt.Sprintf(`[%d,"RangeError","too many timers",%d]`, MaxTimers, MaxTimers+1); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestDetachedFailuresDoNotFailTheRun(t *testing.T) {
	t.Parallel()
	got := returned(t, `
Promise.reject(new Error('nobody'));
queueMicrotask(() => { throw new Error('micro'); });
(async () => { null.x })();
await 0; await 0; await 0;
return 'fine'`)
	if got != `"fine"` {
		t.Errorf("got %s", got)
	}
}

func TestOutcomeIsGivenOnce(t *testing.T) {
	t.Parallel()
	v := startVM(t, testLimits())
	if turn := mustRun(t, v, "setTimeout(() => text('late')); return 5"); string(turn.Returned) != "5" {
		t.Fatalf("returned %s", turn.Returned)
	}
	turn := mustSettle(t, v, Settlement{ID: 1, Timer: true})
	if turn.Returned != nil || turn.Thrown != nil || len(turn.Output) != 1 {
		t.Errorf("second turn %+v, want one item and no outcome", turn)
	}
}

type loadFunc func(kind, argument string) (json.RawMessage, error)

func (f loadFunc) Load(kind, argument string) (json.RawMessage, error) { return f(kind, argument) }

func TestLoadKinds(t *testing.T) {
	t.Parallel()
	type load struct{ kind, argument string }
	cases := []struct {
		expression string
		want       load
		times      int // how often two uses ask
	}{
		{"ALL_TOOLS.length", load{"catalog", ""}, 1},
		{"tools.thing", load{"tool", "thing"}, 1},
		{"Object.keys(tools)", load{"tools", ""}, 1},
		{"Object.keys(MCP)", load{"mcp", ""}, 1},
		{"Object.keys(db)", load{"namespaces", ""}, 1},
		{"API.list('a/b')", load{"api.list", "a/b"}, 2},
		{"API.read('/x')", load{"api.read", "/x"}, 2},
		{"MCP.$api('sel', { schema: true })", load{"api.mcp", `""+"sel"`}, 2},
	}
	for _, c := range cases {
		var got []load
		host := loadFunc(func(kind, argument string) (json.RawMessage, error) {
			got = append(got, load{kind, argument})
			return dataHost{}.Load(kind, argument)
		})
		v, err := testEngine(t).Start(host, testLimits())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := v.Run(Cell{Code: "const use = async () => " + c.expression + "; await Promise.allSettled([use(), use()])", Globals: []string{"db"}}, farDeadline()); err != nil {
			t.Errorf("%s: %v", c.expression, err)
		}
		v.Close()
		found := 0
		for _, l := range got {
			if l == c.want {
				found++
			}
		}
		if found != c.times {
			t.Errorf("%s: loads %q, want %q %d times", c.expression, got, c.want, c.times)
		}
	}
}

func TestLoadRefused(t *testing.T) {
	t.Parallel()
	got := returned(t, "try { await API.read('x') } catch (e) { return [e instanceof Error, e.message] }")
	if got != `[true,"nothing for api.read"]` {
		t.Errorf("got %s", got)
	}
}

func TestClockStandsStillAndMoves(t *testing.T) {
	t.Parallel()
	v := startVM(t, testLimits())
	v.SetClock(time.UnixMilli(1_700_000_000_123))
	turn := mustRun(t, v, `
const t0 = Date.now(); for (let i = 0; i < 2e5; i++);
text([t0, Date.now(), +new Date(), new Date().getTimezoneOffset(), typeof performance === 'undefined' ? null : performance.now() >= 0]);
await tools.call('a');
return [Date.now(), new Date().toString()]`)
	if got := string(turn.Output[0]); !strings.HasPrefix(got, `{"type":"text","text":"[1700000000123,1700000000123,1700000000123,0,`) {
		t.Errorf("clock before: %s", got)
	}
	v.SetClock(time.UnixMilli(1_700_000_001_000))
	turn = mustSettle(t, v, Settlement{ID: 1, Remote: true})
	if want := `[1700000001000,"Tue Nov 14 2023 22:13:21 GMT+0000"]`; string(turn.Returned) != want {
		t.Errorf("clock after: %s, want %s", turn.Returned, want)
	}
}

func TestSeed(t *testing.T) {
	t.Parallel()
	random := func(seed [3]uint32) string {
		v := startVM(t, testLimits())
		turn, err := v.Run(Cell{Code: "return [Math.random(), Math.random(), Math.random()]", Seed: seed}, farDeadline())
		if err != nil {
			t.Fatal(err)
		}
		return string(turn.Returned)
	}
	first := random([3]uint32{1, 2, 0xffffffff})
	if again := random([3]uint32{1, 2, 0xffffffff}); again != first {
		t.Errorf("one seed gave %s and %s", first, again)
	}
	if other := random([3]uint32{1, 3, 0xffffffff}); other == first {
		t.Errorf("two seeds gave %s", first)
	}
	var values []float64
	if err := json.Unmarshal([]byte(first), &values); err != nil {
		t.Fatal(err)
	}
	for _, f := range values {
		if f < 0 || f >= 1 {
			t.Errorf("%v is not in [0, 1)", f)
		}
	}
	if got := Seed([32]byte{0, 0, 0, 1, 0, 0, 1, 0, 0xff}); got != [3]uint32{1, 256, 0xff000000} {
		t.Errorf("seed %v", got)
	}
}

func TestModuleAccess(t *testing.T) {
	t.Parallel()
	for _, code := range []string{"await import('fs')", "const f = 'im' + 'port'; await eval(f + '(\"x\")')", "await new Function('return import(\"y\")')().catch(() => 0); text('caught')"} {
		if turn, err := runCell(t, code); !errors.Is(err, protocol.ErrModuleAccess) || len(turn.Output) > 0 {
			t.Errorf("%s: got %v with %s, want ErrModuleAccess", code, err, turn.Output)
		}
	}
	for _, code := range []string{"require('fs')", "module.exports = 1", "process.exit()"} {
		turn, err := runCell(t, code)
		if err != nil || turn.Thrown == nil || !errors.Is(turn.Thrown.Fatal, protocol.ErrModuleAccess) {
			t.Errorf("%s: got %v, %+v; want ErrModuleAccess as the fatal error", code, err, turn.Thrown)
		}
	}
	if got := returned(t, "try { require('fs') } catch (e) { return e.name }"); got != `"ReferenceError"` {
		t.Errorf("a caught reference error gave %s", got)
	}
}
