package vm

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"codemode/protocol"
)

// thrownBy gives what a cell threw in its first turn.
func thrownBy(tb testing.TB, cell Cell) Thrown {
	tb.Helper()
	v, err := testEngine(tb).Start(dataHost{}, testLimits())
	if err != nil {
		tb.Fatal(err)
	}
	defer v.Close()
	turn, err := v.Run(cell, farDeadline())
	if err != nil {
		tb.Fatalf("%s\nended with %v", cell.Code, err)
	}
	if turn.Thrown == nil {
		tb.Fatalf("%s\nthrew nothing and returned %s", cell.Code, turn.Returned)
	}
	return *turn.Thrown
}

func TestThrownText(t *testing.T) {
	t.Parallel()
	cases := []struct{ name, code, want string }{
		{"line 1", "throw new Error('x')", "Error: x\n    at <anonymous> (cell.js:1:11)"},
		{"line 1, called", "const f = () => { throw new TypeError('y') }; f()", "TypeError: y\n    at f (cell.js:1:29)\n    at <anonymous> (cell.js:1:47)"},
		{"line 3", "const a = 1;\n\n  null.x", "TypeError: cannot read property 'x' of null\n    at <anonymous> (cell.js:3:3)"},
		{"nested", "function outer() {\n  inner();\n}\nfunction inner() {\n  throw new RangeError('deep');\n}\nouter();",
			"RangeError: deep\n    at inner (cell.js:5:13)\n    at outer (cell.js:2:3)\n    at <anonymous> (cell.js:7:1)"},
		{"after await", "await 0;\nthrow new Error('later')", "Error: later\n    at <anonymous> (cell.js:2:11)"},
		{"own class", "class MyError extends Error { constructor(m) { super(m); this.name = 'MyError'; } }\nthrow new MyError('m')",
			"MyError: m\n    at MyError (cell.js:1:54)\n    at <anonymous> (cell.js:2:11)"},
		{"no message", "throw new Error()", "Error\n    at <anonymous> (cell.js:1:11)"},
		{"undeclared", "return nope", "ReferenceError: nope is not defined\n    at <anonymous> (cell.js:1:8)"},
		{"through native", "[1].map((x) => { throw new Error('in map'); })", "Error: in map\n    at <anonymous> (cell.js:1:28)\n    at map (native)\n    at <anonymous> (cell.js:1:5)"},
		{"string", "throw 'plain'", "plain"},
		{"object", "throw { a: 1 }", `{"a":1}`},
		{"undefined", "throw undefined", "null"},
		{"null", "throw null", "null"},
		{"number", "throw -0", "0"},
		{"symbol", "throw Symbol('s')", "Symbol(s)"},
		{"function", "throw function f() {}", "function f() {}"},
		{"looks like an error", "throw { name: 'Odd', message: 'shape', stack: 5 }", "Odd: shape"},
		{"error with its own stack", "const e = new Error('m'); e.stack = 'nothing to see'; throw e", "Error: m"},
		{"getter that throws", "throw { get name() { throw new Error('no') } }", "[Unserializable: no]"},
		{"proxy that throws", "throw new Proxy({}, { get() { throw 'trap' } })", "[Unserializable: trap]"},
		{"revoked proxy", "const r = Proxy.revocable({}, {}); r.revoke(); throw r.proxy", "[Unserializable: revoked proxy]"},
		{"stack getter that throws", "const e = new Error('m'); Object.defineProperty(e, 'stack', { get() { throw new Error('s') } }); throw e", "[Unserializable: s]"},
		{"name getter that calls out", "const e = new Error('m'); Object.defineProperty(e, 'name', { get() { return 'N' } }); throw e", "N: m\n    at <anonymous> (cell.js:1:15)"},
		{"cycle", "const a = {}; a.a = a; throw a", `{"a":"[Circular]"}`},
		{"lone surrogate", "throw '\\ud800'", "\ufffd"},
		{"empty name and message", "const e = new Error(''); e.name = ''; throw e", "Error\n    at <anonymous> (cell.js:1:15)"},
		{"aggregate", "await Promise.any([Promise.reject(1)])", "AggregateError\n    at <anonymous> (cell.js:1:28)"},
	}
	for _, c := range cases {
		got := thrownBy(t, Cell{Code: c.code})
		if got.Text != c.want {
			t.Errorf("%s: %s\ngot  %q\nwant %q", c.name, c.code, got.Text, c.want)
		}
		if got.Syntax || got.Sent || got.Fatal != nil {
			t.Errorf("%s: %+v, want an ordinary error", c.name, got)
		}
	}
}

func TestThrownInTypeScript(t *testing.T) {
	t.Parallel()
	got := thrownBy(t, Cell{Code: "\nthrow new Error('ts')", TypeScript: true})
	if want := "Error: ts\n    at <anonymous> (cell.ts:2:11)"; got.Text != want {
		t.Errorf("got %q, want %q", got.Text, want)
	}
}

func TestSyntaxErrors(t *testing.T) {
	t.Parallel()
	cases := []struct{ code, place string }{
		{"return (", "cell.js:2:1"},
		{"let x = ;", "cell.js:1:9"},
		{"let a = 1;\nlet a = 2;", "cell.js:2:7"},
		{"const x = 1;\n\nif (x {\n}", "cell.js:3:7"},
		{"'unclosed", "cell.js:1:"},
		{"/[/", "cell.js:1:"},
		{"await = 1", "cell.js:1:"},
		{"break;", "cell.js:1:"},
		{"import x from 'y'", "cell.js:1:"},
	}
	for _, c := range cases {
		got := thrownBy(t, Cell{Code: c.code})
		if !got.Syntax || !strings.HasPrefix(got.Text, "SyntaxError: ") || !strings.Contains(got.Text, "\n    at "+c.place) {
			t.Errorf("%s\ngot %q, want a SyntaxError at %s", c.code, got.Text, c.place)
		}
		if strings.Count(got.Text, "\n") != 1 {
			t.Errorf("%s\ngot %q, want one place and no other frame", c.code, got.Text)
		}
	}
}

// Text that closes the wrapper's function has no promise as its outcome; package source refuses what
// would make one of its own.
func TestNoBody(t *testing.T) {
	t.Parallel()
	for _, code := range []string{"}); 1; (function(){", "}) + (function(){", "})\n//", "return 1 })\n//"} {
		if got := thrownBy(t, Cell{Code: code}); !got.Syntax || !strings.HasPrefix(got.Text, "SyntaxError: ") {
			t.Errorf("%q: got %+v, want a SyntaxError", code, got)
		}
	}
}

func TestNothingOfTheControllerIsShown(t *testing.T) {
	t.Parallel()
	codes := []string{
		"tools.call('a', 1n ** 2n, Symbol()); setTimeout(5)",
		"queueMicrotask('x')",
		"text({ get a() { throw new Error('in') } }); throw new Error('end')",
		"const e = await new Promise((r) => setTimeout(r)).catch((x) => x); throw e",
		"json({ toJSON() { throw new Error('j') } }); null.y",
		"structuredClone(() => 1)",
		"new URL('nonsense')",
		"atob('*')",
		"await tools.callValue('a', { get x() { return nope } })",
		"Object.defineProperty(Array.prototype, '0', { set() { throw new Error('set') } }); text([1]); throw new Error('e')",
		"tools.x = 1; 'use strict'; Reflect.ownKeys(tools); throw Reflect.set(tools, 'a', 1)",
		"(function () { 'use strict'; tools.a = 1; })()",
		"new Proxy(tools, {}).nothing()",
		"Error.prepareStackTrace = (e, sites) => sites; const s = new Error('x').stack; throw typeof s === 'string' ? s : s.map((x) => x.getFunction && x.getFunction())",
		"Error.captureStackTrace && Error.captureStackTrace(globalThis); throw globalThis.stack ?? 'none'",
		"[1].forEach(text.bind(null, { get a() { throw new Error('deep') } })); throw new Error(new Error('s').stack)",
	}
	for _, code := range codes {
		v := startVM(t, testLimits())
		turn, err := v.Run(Cell{Code: code}, farDeadline())
		if err != nil {
			t.Errorf("%s: %v", code, err)
			continue
		}
		seen := string(turn.Returned)
		for _, item := range turn.Output {
			seen += string(item)
		}
		if turn.Thrown != nil {
			seen += turn.Thrown.Text
		}
		for _, secret := range []string{"controller", "cell.js:0", "cell.js:-", "async function(){\\n"} {
			if strings.Contains(seen, secret) {
				t.Errorf("%s\nshows %q in %s", code, secret, seen)
			}
		}
	}
}

// Frames that guest code reads from error.stack begin at the cell's line 1 as well.
func TestStackAsGuestCodeReadsIt(t *testing.T) {
	t.Parallel()
	if got, want := returned(t, "return new Error('x').stack"), `"    at <anonymous> (cell.js:1:12)\n"`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestErrorTextIsCut(t *testing.T) {
	t.Parallel()
	for _, code := range []string{
		"throw new Error('é'.repeat(20000))",
		"throw 'a' + 'é'.repeat(20000)",
		"const e = new Error('m'); e.name = '𝒳'.repeat(9000); throw e",
	} {
		got := thrownBy(t, Cell{Code: code}).Text
		if len(got) > maxErrorBytes || len(got) < maxErrorBytes-utf8.UTFMax || !utf8.ValidString(got) {
			t.Errorf("%s: %d bytes, valid %v; want at most %d at a character border", code, len(got), utf8.ValidString(got), maxErrorBytes)
		}
	}
	for n, want := range map[int]int{maxErrorBytes: maxErrorBytes, maxErrorBytes + 1: maxErrorBytes} {
		if got := len(cutText(strings.Repeat("a", n))); got != want {
			t.Errorf("%d bytes were cut to %d", n, got)
		}
	}
}

func TestSentFailures(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		code string
		s    Settlement
		sent bool
	}{
		{"sent", "await tools.call('a')", Settlement{ID: 1, Remote: true, Err: "gateway says no", Sent: true}, true},
		{"local", "await tools.call('a')", Settlement{ID: 1, Remote: true, Err: "gateway says no"}, false},
		{"wrapped", "try { await tools.call('a') } catch (e) { throw new Error('gateway says no', { cause: e }) }", Settlement{ID: 1, Remote: true, Err: "x", Sent: true}, false},
		{"thrown again", "try { await tools.call('a') } catch (e) { throw e }", Settlement{ID: 1, Remote: true, Err: "gateway says no", Sent: true}, true},
	} {
		v := startVM(t, testLimits())
		mustRun(t, v, c.code)
		turn := mustSettle(t, v, c.s)
		if turn.Thrown == nil || turn.Thrown.Sent != c.sent || !strings.HasPrefix(turn.Thrown.Text, "Error: gateway says no") {
			t.Errorf("%s: got %+v, want sent %v", c.name, turn.Thrown, c.sent)
		}
		if turn.Thrown != nil && strings.Contains(turn.Thrown.Text, "controller") {
			t.Errorf("%s: shows the controller: %s", c.name, turn.Thrown.Text)
		}
	}
}

func TestDeepRecursionIsCaught(t *testing.T) {
	t.Parallel()
	got := returned(t, "let n = 0; const f = () => { n++; f(); }; try { f() } catch (e) { return [e instanceof RangeError, n > 500] }")
	if got != "[true,true]" {
		t.Errorf("got %s", got)
	}
}

func TestExhaustedMemoryEndsTheRun(t *testing.T) {
	t.Parallel()
	limits := testLimits()
	limits.MemoryBytes = 2 << 20
	for _, code := range []string{
		"const a = []; for (;;) a.push('x'.repeat(1e5) + a.length)",
		"return new Array(1e7).fill(0).length",
		"try { new Uint8Array(1e8) } catch {} finally { return 1 }",
		"await (async () => 'x'.repeat(1e7))().catch(() => 1); return 2",
		"queueMicrotask(() => 'x'.repeat(1e7)); await 0; await 0; return 3",
	} {
		v := startVM(t, limits)
		turn, err := v.Run(Cell{Code: code}, farDeadline())
		if err == nil && turn.Thrown != nil {
			err = turn.Thrown.Fatal
		}
		if !errors.Is(err, protocol.ErrMemory) {
			t.Errorf("%s: got %v, %+v; want ErrMemory", code, err, turn.Thrown)
		}
	}
}

// The mark of exhausted memory belongs to one turn: what a cell throws later is its own, and the same
// whether or not the run was suspended in between.
func TestMarkOfExhaustionIsForgotten(t *testing.T) {
	t.Parallel()
	v := startVM(t, testLimits())
	mustRun(t, v, "await tools.search('x'); throw null")
	v.in.oom.Set(1)
	if got := mustSettle(t, v, Settlement{ID: 1}).Thrown; got == nil || got.Text != "null" || got.Fatal != nil {
		t.Errorf("thrown %+v, want null and nothing fatal", got)
	}
}
