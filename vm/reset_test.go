package vm

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"codemode/protocol"
)

// oneAtATime gives the engine with a pool of its own that holds one instance, so that a test knows which
// one is reused.
func oneAtATime(tb testing.TB, e *Engine) *Engine {
	tb.Helper()
	out := *e
	out.pool = newPool(&out, 1)
	tb.Cleanup(func() {
		if err := out.pool.close(); err != nil {
			tb.Error(err)
		}
	})
	return &out
}

// likeNew reports how an instance differs from one that was just made.
func likeNew(tb testing.TB, e *Engine, in *instance) string {
	tb.Helper()
	mem, err := e.base.allocate()
	if err != nil {
		tb.Fatal(err)
	}
	fresh, err := instantiate(context.Background(), e.rt, e.code, mem, e.ids)
	if err != nil {
		tb.Fatal(err)
	}
	defer func() {
		if err := fresh.close(); err != nil {
			tb.Error(err)
		}
	}()
	fresh.sp.Set(e.sp)
	return difference(in, fresh)
}

func difference(in, fresh *instance) string {
	if in.vm != nil {
		return "it still has a VM"
	}
	if got, want := in.fuel.Get(), fresh.fuel.Get(); got != want {
		return fmt.Sprintf("fuel is %d, want %d", got, want)
	}
	if got, want := in.sp.Get(), fresh.sp.Get(); got != want {
		return fmt.Sprintf("stack pointer is %d, want %d", got, want)
	}
	if got, want := in.oom.Get(), fresh.oom.Get(); got != want {
		return fmt.Sprintf("memory mark is %d, want %d", got, want)
	}
	if got, want := in.mod.Memory().Size(), fresh.mod.Memory().Size(); got != want {
		return fmt.Sprintf("module sees %d bytes of memory, want %d", got, want)
	}
	return memoryDifference(in.mem, fresh.mem)
}

func memoryDifference(got, want *linear) string {
	if got.size != want.size {
		return fmt.Sprintf("memory has %d bytes, want %d", got.size, want.size)
	}
	if bytes.Equal(got.bytes(), want.bytes()) {
		return ""
	}
	for i := range uint32(got.size / pageSize) {
		if !bytes.Equal(got.page(i), want.page(i)) {
			return fmt.Sprintf("memory differs in page %d", i)
		}
	}
	return "memory differs"
}

// After any cell, an instance that is used again is byte for byte like a new one; whatever could have
// changed otherwise makes its instance end.
func TestResetIsExact(t *testing.T) {
	t.Parallel()
	e := testEngine(t)
	cells := sampleCells(t)
	if len(cells) < 400 {
		t.Errorf("only %d cells", len(cells))
	}
	const parts = 4
	for part := range parts {
		t.Run(fmt.Sprint(part), func(t *testing.T) {
			t.Parallel()
			one := oneAtATime(t, e)
			mem, err := e.base.allocate()
			if err != nil {
				t.Fatal(err)
			}
			defer mem.Free()
			if bytes.Equal(mem.bytes(), make([]byte, mem.size)) {
				t.Fatal("the image is empty")
			}
			reused := 0
			for i := part; i < len(cells); i += parts {
				c := cells[i]
				out := driver{cell: c.cell, limits: testLimits(), seed: uint64(i)}.play(t, one)
				if len(one.pool.idle) == 0 {
					continue
				}
				reused++
				in := one.pool.idle[0]
				if diff := memoryDifference(in.mem, mem); diff != "" {
					t.Fatalf("after %s (%+v): %s", c.name, out, diff)
				}
				if i%16 == part {
					if diff := likeNew(t, one, in); diff != "" {
						t.Fatalf("after %s: %s", c.name, diff)
					}
				}
			}
			if want := (len(cells) / parts) * 3 / 4; reused < want {
				t.Errorf("%d instances were used again, want at least %d", reused, want)
			}
		})
	}
}

func TestResetAfterAbandonedTurns(t *testing.T) {
	t.Parallel()
	for name, code := range map[string]string{
		"pending call":      "const a = new Array(1000).fill('x'); await tools.call('a'); return a",
		"syntax error":      "return (",
		"thrown":            "throw new Error('x'.repeat(5000))",
		"deep recursion":    "const f = (n) => f(n + 1); try { f(0) } catch (e) {} await 0; return 1",
		"microtasks left":   "for (let i = 0; i < 100; i++) queueMicrotask(() => tools.describe('x')); return 1",
		"prototypes":        "Object.prototype.x = 1; Array.prototype.map = null; delete globalThis.JSON; delete Promise.prototype.then",
		"weak references":   "globalThis.r = []; for (let i = 0; i < 500; i++) r.push(new WeakRef({ i })); new FinalizationRegistry(() => 0).register({}, 1)",
		"typed arrays":      "globalThis.t = new Uint8Array(1e6).fill(7)",
		"three megabytes":   "globalThis.s = Array.from({ length: 3000 }, (_, i) => 'é'.repeat(500) + i)",
		"resizable buffers": "const b = new ArrayBuffer(10, { maxByteLength: 1e6 }); b.resize(1e6); globalThis.b = b",
	} {
		e := oneAtATime(t, testEngine(t))
		for range 2 { // the second time in the instance that was used
			v, err := e.Start(dataHost{}, testLimits())
			if err != nil {
				t.Fatal(err)
			}
			if _, err := v.Run(Cell{Code: code}, farDeadline()); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			v.Close()
			if len(e.pool.idle) != 1 {
				t.Errorf("%s: the instance was thrown away", name)
				continue
			}
			if diff := likeNew(t, e, e.pool.idle[0]); diff != "" {
				t.Errorf("%s: %s", name, diff)
			}
		}
	}
}

func TestWhatIsNotReused(t *testing.T) {
	t.Parallel()
	limits := testLimits()
	limits.MemoryBytes = 32 << 20
	for name, c := range map[string]struct {
		code string
		err  error
	}{
		"grown memory": {"globalThis.a = new Uint8Array(20e6)", nil},
		"too much":     {"text('x'.repeat(1e5))", protocol.ErrOutput},
		"module":       {"import('x')", protocol.ErrModuleAccess},
	} {
		e := oneAtATime(t, testEngine(t))
		v, err := e.Start(dataHost{}, limits)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := v.Run(Cell{Code: c.code}, farDeadline()); err != c.err {
			t.Errorf("%s: got %v, want %v", name, err, c.err)
		}
		v.Close()
		if len(e.pool.idle) != 0 {
			t.Errorf("%s: the instance would be used again", name)
		}
	}
}

// Random cells, one after the other in instances that are used again, do what they do in new ones.
func TestRandomCellsOnUsedAndNewVMs(t *testing.T) {
	t.Parallel()
	e := testEngine(t)
	for worker := range 2 {
		t.Run(fmt.Sprint(worker), func(t *testing.T) {
			t.Parallel()
			used, unused := oneAtATime(t, e), newEachTime(e)
			rng := rand.New(rand.NewPCG(uint64(worker), 7))
			for n := range 40 {
				d := driver{cell: randomCell(rng), limits: testLimits(), seed: rng.Uint64(), states: true}
				got, want := d.play(t, used), d.play(t, unused)
				if !reflect.DeepEqual(got, want) {
					t.Fatalf("cell %d differs on a used VM: %s\n%s", n, d.cell.Code, firstDifference(got, want))
				}
			}
		})
	}
}

// firstDifference says where two traces part.
func firstDifference(a, b trace) string {
	for i := range min(len(a.Turns), len(b.Turns)) {
		x, y := a.Turns[i], b.Turns[i]
		switch {
		case !reflect.DeepEqual(x.Turn, y.Turn):
			return fmt.Sprintf("turn %d:\n%+v\n%+v", i, x.Turn, y.Turn)
		case x.Count != y.Count:
			return fmt.Sprintf("turn %d: counters %+v and %+v", i, x.Count, y.Count)
		case !bytes.Equal(x.State, y.State):
			return fmt.Sprintf("turn %d: states of %d and %d bytes", i, len(x.State), len(y.State)) + stateDifference(x.State, y.State)
		}
	}
	return fmt.Sprintf("%d and %d turns, ending with %q and %q", len(a.Turns), len(b.Turns), a.Err, b.Err)
}

func stateDifference(a, b []byte) string {
	x, xs, errX := decodeDelta(a)
	y, ys, errY := decodeDelta(b)
	if errX != nil || errY != nil {
		return fmt.Sprintf(": %v, %v", errX, errY)
	}
	if x.memory != y.memory || x.sp != y.sp {
		return fmt.Sprintf(": memory %d, %d; stack pointer %d, %d", x.memory, y.memory, x.sp, y.sp)
	}
	if reflect.DeepEqual(x, y) && bytes.Equal(xs, ys) {
		return ": the same contents"
	}
	for i := range min(len(x.runs), len(y.runs)) {
		if x.runs[i] != y.runs[i] {
			return fmt.Sprintf(": run %d of %d, %d: %+v, %+v", i, len(x.runs), len(y.runs), x.runs[i], y.runs[i])
		}
	}
	return ": other words"
}
