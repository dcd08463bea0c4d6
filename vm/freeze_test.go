package vm

import (
	"context"
	"encoding/json"
	"errors"
	"runtime"
	"sync"
	"testing"
	"time"

	"codemode/protocol"
)

// endless are cells of every kind that does not end; each tells by ALL_TOOLS that it runs.
var endless = []string{
	`for (;;);`,
	`[].includes.call({ length: 2 ** 53 - 1 }, 1);`,
	`let a = 3n ** 200000n; for (;;) a * a;`,
	`/^(a+)+$/.test('a'.repeat(60) + 'b');`,
	`for (;;) await null;`,
	`const b = new Uint8Array(32 << 20); for (;;) b.copyWithin(0, 1);`,
	`const a = Array(1e6).fill(1); for (;;) { a.shift(); a.push(1); }`,
	`const o = Array(1e4).fill({ a: [1, 'x'] }); for (;;) JSON.parse(JSON.stringify(o));`,
}

// startedHost signals the first thing a cell asks for.
type startedHost struct{ started func() }

func (h startedHost) Load(string, string) (json.RawMessage, error) {
	h.started()
	return json.RawMessage("[]"), nil
}

// spin runs all endless cells until stop is called, which demands that each ended by its interrupt.
func spin(tb testing.TB, e *Engine) (stop func()) {
	tb.Helper()
	var ended, started sync.WaitGroup
	vms := make([]*VM, len(endless))
	for i, code := range endless {
		started.Add(1)
		v, err := e.Start(startedHost{sync.OnceFunc(started.Done)}, testLimits())
		if err != nil {
			tb.Fatal(err)
		}
		vms[i] = v
		ended.Go(func() {
			if _, err := v.Run(Cell{Code: "ALL_TOOLS;\n" + code}, time.Time{}); !errors.Is(err, protocol.ErrAborted) {
				tb.Errorf("%s: ended with %v, want %v", code, err, protocol.ErrAborted)
			}
		})
	}
	started.Wait()
	return func() {
		for _, v := range vms {
			v.Interrupt(protocol.ErrAborted)
		}
		ended.Wait()
	}
}

// tick measures the longest time that a ticker of a millisecond was not served.
func tick() (stop func() time.Duration) {
	done, worst := make(chan struct{}), make(chan time.Duration)
	go func() {
		t := time.NewTicker(time.Millisecond)
		defer t.Stop()
		var most time.Duration
		for last := time.Now(); ; {
			select {
			case <-t.C:
				now := time.Now()
				most, last = max(most, now.Sub(last)), now
			case <-done:
				worst <- most
				return
			}
		}
	}()
	return func() time.Duration {
		close(done)
		return <-worst
	}
}

// TestNoFreeze runs without others: while cells of every kind run on all processors, the collector
// completes, other goroutines go on, and short cells are answered.
func TestNoFreeze(t *testing.T) {
	e := testEngine(t)
	stop := spin(t, e)
	gap := tick()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	done := make(chan time.Duration)
	go func() {
		begin := time.Now()
		for range 3 {
			runtime.GC()
		}
		done <- time.Since(begin) / 3
	}()
	select {
	case took := <-done:
		t.Logf("a collection took %v", took)
	case <-ctx.Done():
		t.Fatal("the collector does not complete while cells run")
	}
	begin := time.Now()
	const cells = 10
	for range cells {
		v, err := e.Start(noHost{}, testLimits())
		if err != nil {
			t.Fatal(err)
		}
		turn, err := v.Run(Cell{Code: "return 1 + 1"}, time.Now().Add(time.Minute))
		if err != nil || string(turn.Returned) != "2" {
			t.Errorf("short cell gave %s, %v", turn.Returned, err)
		}
		v.Close()
	}
	t.Logf("a short cell took %v", time.Since(begin)/cells)
	t.Logf("worst gap of a ticker of 1 ms: %v", gap())
	stop()
}

// BenchmarkBesideEndless is a short cell while every kind of endless one runs.
func BenchmarkBesideEndless(b *testing.B) {
	e := testEngine(b)
	stop := spin(b, e)
	defer stop()
	gap := tick()
	for b.Loop() {
		v, err := e.Start(noHost{}, testLimits())
		if err != nil {
			b.Fatal(err)
		}
		if _, err := v.Run(Cell{Code: "return 1 + 1"}, time.Time{}); err != nil {
			b.Fatal(err)
		}
		v.Close()
	}
	b.ReportMetric(float64(gap().Microseconds())/1000, "worst-gap-ms")
}
