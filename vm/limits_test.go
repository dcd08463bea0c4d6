package vm

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"codemode/protocol"
)

// TestMemoryLimit allocates on both sides of the limit. What the engine itself needs for a cell is in it.
func TestMemoryLimit(t *testing.T) {
	t.Parallel()
	const ownNeed = 64 << 10
	for _, mb := range []int{1, 2, 5, 64} {
		t.Run(fmt.Sprintf("%dMB", mb), func(t *testing.T) {
			t.Parallel()
			limits := testLimits()
			limits.MemoryBytes = mb << 20
			for size, want := range map[int]error{limits.MemoryBytes - ownNeed: nil, limits.MemoryBytes: protocol.ErrMemory} {
				for kind, code := range map[string]string{
					"at once":   `return new Uint8Array(%d).length`,
					"in pieces": `const a = []; let left = %d; for (; left > 0; left -= 1e5) a.push(new ArrayBuffer(Math.min(left, 1e5))); return a.length && %[1]d`,
					"a string":  `return 'x'.repeat(%d).length`,
				} {
					v := limitedVM(t, limits)
					mem := v.in.mem
					turn, err := v.Run(Cell{Code: fmt.Sprintf(code, size)}, farDeadline())
					if turn.Thrown != nil {
						err = turn.Thrown.Fatal
					}
					if kind == "in pieces" && want == nil && errors.Is(err, protocol.ErrMemory) {
						err = nil // the engine's heads of the pieces
						turn.Returned = fmt.Append(nil, size)
					}
					if !errors.Is(err, want) {
						t.Errorf("%d bytes %s: got %v, want %v", size, kind, err, want)
					} else if want == nil && string(turn.Returned) != fmt.Sprint(size) {
						t.Errorf("%d bytes %s: got %s %+v", size, kind, turn.Returned, turn.Thrown)
					}
					if most := uint64(limits.MemoryBytes + 16<<20); mem.size > most {
						t.Errorf("%d bytes %s: linear memory is %d bytes, at most %d may be", size, kind, mem.size, most)
					}
					v.Close()
				}
			}
		})
	}
}

func limitedVM(tb testing.TB, limits Limits) *VM {
	tb.Helper()
	v, err := testEngine(tb).Start(hostileHost{}, limits)
	if err != nil {
		tb.Fatal(err)
	}
	return v
}

// TestMemoryLimitSurvivesSuspension uses memory up in the turn after a resume.
func TestMemoryLimitSurvivesSuspension(t *testing.T) {
	t.Parallel()
	e := testEngine(t)
	limits := testLimits()
	limits.MemoryBytes = 8 << 20
	v := limitedVM(t, limits)
	cell := `const a = new Uint8Array(3 << 20); await tools.echo(); const b = new Uint8Array(4 << 20); await tools.echo(); return new Uint8Array(2 << 20).length + a.length + b.length`
	if _, err := v.Run(Cell{Code: cell}, farDeadline()); err != nil {
		t.Fatal(err)
	}
	for id := 1; id <= 2; id++ {
		state, err := v.Suspend(64 << 20)
		if err != nil {
			t.Fatal(err)
		}
		v.Close()
		if v, err = e.Resume(state.Data, state.Counters, hostileHost{}, limits); err != nil {
			t.Fatal(err)
		}
		turn, err := v.Settle(Settlement{ID: id, Remote: true, Value: json.RawMessage("1")}, farDeadline())
		if id == 1 && (err != nil || turn.Thrown != nil) {
			t.Fatalf("7 MB of 8: %v, %+v", err, turn.Thrown)
		}
		if turn.Thrown != nil {
			err = turn.Thrown.Fatal
		}
		if id == 2 && err != error(protocol.ErrMemory) {
			t.Errorf("9 MB of 8: got %v, want %v", err, protocol.ErrMemory)
		}
	}
	v.Close()
}

// TestTimeout: guest code is not ended before its deadline, and soon after it.
func TestTimeout(t *testing.T) {
	t.Parallel()
	for _, code := range endless {
		t.Run(code, func(t *testing.T) {
			t.Parallel()
			v := limitedVM(t, testLimits())
			const timeout = 50 * time.Millisecond
			begin := time.Now()
			_, err := v.Run(Cell{Code: code}, begin.Add(timeout))
			took := time.Since(begin)
			if err != error(protocol.ErrTimeout) {
				t.Errorf("got %v, want %v", err, protocol.ErrTimeout)
			}
			if took < timeout || took > timeout+watchdog {
				t.Errorf("ended after %v, with a deadline of %v", took, timeout)
			}
		})
	}
}

// TestOutputBudget counts items and value over turns and suspensions to the byte (contract 14.3).
func TestOutputBudget(t *testing.T) {
	t.Parallel()
	e := testEngine(t)
	const cell = `text('é"'); json([1, { a: '\n' }]); console.warn(1, 'x'); await tools.echo(); text(''); return { v: ['€'] }`
	items := []string{`{"type":"text","text":"é\""}`, `{"type":"json","value":[1,{"a":"\n"}]}`, `{"type":"text","text":"[warn] 1 x"}`, `{"type":"text","text":""}`}
	value := `{"v":["€"]}`
	need := len("["+strings.Join(items, ",")+"]") + len(value)
	for budget, want := range map[int]struct {
		err        error
		overflowed bool
	}{
		need:                  {nil, false},
		need + 1:              {nil, false},
		need - 1:              {protocol.ErrOutput, false},
		need - len(value):     {protocol.ErrOutput, false},
		need - len(value) - 1: {protocol.ErrOutput, true},
	} {
		limits := testLimits()
		limits.OutputBytes = budget
		v := limitedVM(t, limits)
		turn, err := v.Run(Cell{Code: cell}, farDeadline())
		if err != nil {
			t.Fatalf("budget %d: first turn: %v", budget, err)
		}
		state, err := v.Suspend(64 << 20)
		if err != nil {
			t.Fatal(err)
		}
		v.Close()
		if v, err = e.Resume(state.Data, state.Counters, hostileHost{}, limits); err != nil {
			t.Fatal(err)
		}
		output := turn.Output
		turn, err = v.Settle(Settlement{ID: 1, Remote: true, Value: json.RawMessage("1")}, farDeadline())
		if !errors.Is(err, want.err) || turn.Overflowed != want.overflowed {
			t.Errorf("budget %d of %d: got %v, overflowed %v; want %v, %v", budget, need, err, turn.Overflowed, want.err, want.overflowed)
		}
		if want.err != nil {
			continue
		}
		output = append(output, turn.Output...)
		for i, item := range output {
			if string(item) != items[i] {
				t.Errorf("item %d is %s, want %s", i, item, items[i])
			}
		}
		if string(turn.Returned) != value {
			t.Errorf("value is %s, want %s", turn.Returned, value)
		}
		v.Close()
	}
}

// TestValuesOfExactlyTheBudget: what is counted while a text grows is never more than the text.
func TestValuesOfExactlyTheBudget(t *testing.T) {
	t.Parallel()
	for _, code := range []string{
		`return Array(500).fill([])`,
		`return Array(500).fill([1])`,
		`return Array(500).fill({})`,
		`return Array(500).fill({ a: 1, b: [], c: 'x' })`,
		`return Array(500).fill([[], 'x', {}, 1, [2]])`,
		`return Array(500).fill(new Map([['a', 1], ['b', {}]]))`,
		`return Array(500).fill(new Map([[1, 2], [{}, []]]))`,
		`return Array(500).fill(new Set([1, []]))`,
		`return Array(500).fill(Object.assign(new Error('m'), { a: [], b: 1 }))`,
		`return Array(100).fill([new Uint8Array(3), new Date(0), 1n, null, undefined, true, /x/, Promise.resolve(), Object(5)])`,
		`let x = 1; for (let i = 0; i < 600; i++) x = [x]; return x`,
		`return { a: { b: { c: [1, { d: [{}] }] } }, 'long key': ['\n', '"'] }`,
	} {
		text := returned(t, code)
		for budget, want := range map[int]error{len(text) + 2: nil, len(text) + 1: protocol.ErrOutput} {
			limits := testLimits()
			limits.OutputBytes = budget
			v := limitedVM(t, limits)
			turn, err := v.Run(Cell{Code: code}, farDeadline())
			if !errors.Is(err, want) || want == nil && string(turn.Returned) != text {
				t.Errorf("%s: with a budget of %d bytes for %d and 2: got %v, want %v", code, budget, len(text), err, want)
			}
			v.Close()
		}
	}
}

// TestRefusalTakesNoMemory: a very large text of a small graph is not made.
func TestRefusalTakesNoMemory(t *testing.T) {
	t.Parallel()
	for _, budget := range []int{1 << 10, 64 << 10, 256 << 10} {
		limits := testLimits()
		limits.OutputBytes, limits.MemoryBytes = budget, 16<<20
		v := limitedVM(t, limits)
		mem := v.in.mem
		_, err := v.Run(Cell{Code: `let x = ['x']; for (let i = 0; i < 27; i++) x = [x, x]; return x`}, farDeadline())
		if err != error(protocol.ErrOutput) {
			t.Errorf("budget %d: got %v, want %v", budget, err, protocol.ErrOutput)
		}
		if most := uint64(len(v.engine.base.image) + 8*budget); mem.size > most {
			t.Errorf("budget %d: memory grew to %d bytes, want at most %d", budget, mem.size, most)
		}
	}
}

// TestPendingLimit counts over turns and suspensions (contract 10.3).
func TestPendingLimit(t *testing.T) {
	t.Parallel()
	e := testEngine(t)
	limits := testLimits()
	limits.PendingCalls = 3
	const cell = `tools.echo(1); const two = tools.echo(2); await two; tools.echo(3); tools.echo(4); await tools.search('x'); tools.echo(5); return 1`
	v := limitedVM(t, limits)
	turn, err := v.Run(Cell{Code: cell}, farDeadline())
	if err != nil || len(turn.Requests) != 2 {
		t.Fatalf("first turn: %v, %d requests", err, len(turn.Requests))
	}
	state, err := v.Suspend(64 << 20)
	if err != nil {
		t.Fatal(err)
	}
	v.Close()
	if v, err = e.Resume(state.Data, state.Counters, hostileHost{}, limits); err != nil {
		t.Fatal(err)
	}
	turn, err = v.Settle(Settlement{ID: 2, Remote: true, Value: json.RawMessage("2")}, farDeadline())
	if err != nil || len(turn.Requests) != 3 || v.Counters().Pending != 3 {
		t.Fatalf("second turn: %v, %d requests, %d pending", err, len(turn.Requests), v.Counters().Pending)
	}
	if _, err = v.Settle(Settlement{ID: 5, Value: json.RawMessage("[]")}, farDeadline()); err != error(protocol.ErrTooManyPending) {
		t.Errorf("fourth pending call: got %v, want %v", err, protocol.ErrTooManyPending)
	}
}

// TestHeldRequests: what local requests hold is given back when they are answered, so that a run may make
// any number of them one after the other.
func TestHeldRequests(t *testing.T) {
	t.Parallel()
	limits := testLimits()
	limits.MemoryBytes = 1 << 20
	v := limitedVM(t, limits)
	turn, err := v.Run(Cell{Code: `const q = 'x'.repeat(1e5); for (let i = 0; i < 200; i++) await Promise.all([tools.search(q), tools.describe('y')]); return 'done'`}, farDeadline())
	var most uint64
	for err == nil && turn.Returned == nil && len(turn.Requests) > 0 {
		requests := turn.Requests
		most = max(most, v.in.mem.held)
		for _, q := range requests {
			if turn, err = v.Settle(Settlement{ID: q.ID, Value: json.RawMessage("[]")}, farDeadline()); err != nil {
				break
			}
		}
	}
	if err != nil || string(turn.Returned) != `"done"` || v.in.mem.held != 0 {
		t.Errorf("20 MB of queries in turn: %v, %s, %d bytes held", err, turn.Returned, v.in.mem.held)
	}
	if most < 1e5 || most > 2e5 {
		t.Errorf("at most %d bytes were held, want those of one query", most)
	}
	v.Close()
}

// TestLongSource is a source text as long as any (the worker bounds it): compiled, or refused by the memory limit.
func TestLongSource(t *testing.T) {
	t.Parallel()
	limits := testLimits()
	limits.MemoryBytes = 4 << 20
	for size, want := range map[int]error{100 << 10: nil, 8 << 20: protocol.ErrMemory} {
		v := limitedVM(t, limits)
		turn, err := v.Run(Cell{Code: "let n = 0;\n" + strings.Repeat("n++;\n", size/5) + "return 'end'"}, farDeadline())
		if turn.Thrown != nil {
			err = turn.Thrown.Fatal
		}
		if !errors.Is(err, want) || turn.Thrown != nil && turn.Thrown.Syntax || want == nil && string(turn.Returned) != `"end"` {
			t.Errorf("source of %d bytes: got %v, %s, %+v", size, err, turn.Returned, turn.Thrown)
		}
		v.Close()
	}
}
