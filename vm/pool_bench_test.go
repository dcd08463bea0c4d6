package vm

import (
	"context"
	"testing"
	"time"
)

// BenchmarkPool compares the ways to a clean VM.
func BenchmarkPool(b *testing.B) {
	shared := testEngine(b)
	b.Run("new", func(b *testing.B) {
		e := newEachTime(shared)
		for b.Loop() {
			runBench(b, e, testLimits(), "return 1 + 1")
		}
	})
	b.Run("reset", func(b *testing.B) {
		e := oneAtATime(b, shared)
		for b.Loop() {
			runBench(b, e, testLimits(), "return 1 + 1")
		}
	})
	b.Run("reset-4MB-dirty", func(b *testing.B) {
		e := oneAtATime(b, shared)
		for b.Loop() {
			runBench(b, e, testLimits(), "new Uint8Array(3e6).fill(1)")
		}
	})
	b.Run("64MB-dirty", func(b *testing.B) {
		limits := testLimits()
		limits.MemoryBytes = 80 << 20
		for b.Loop() {
			runBench(b, shared, limits, "new Uint8Array(64 << 20).fill(1)")
		}
	})
}

func runBench(b *testing.B, e *Engine, limits Limits, code string) {
	v, err := e.Start(noHost{}, limits)
	if err != nil {
		b.Fatal(err)
	}
	if _, err := v.Run(Cell{Code: code}, farDeadline()); err != nil {
		b.Fatal(err)
	}
	v.Close()
}

// BenchmarkDelta suspends and resumes states of three sizes. The bytes of the larger ones are random, so
// that nothing is gained by compressing them.
func BenchmarkDelta(b *testing.B) {
	e := testEngine(b)
	for _, c := range []struct{ name, code string }{
		{"small", "const v = await tools.callValue('openclaw:core:a', { n: 1 });\nreturn v.n + 1;"},
		{"1MB", bigCell(1 << 20)},
		{"20MB", bigCell(20 << 20)},
	} {
		v, err := e.Start(noHost{}, testLimits())
		if err != nil {
			b.Fatal(err)
		}
		if _, err := v.Run(Cell{Code: c.code}, time.Now().Add(5*time.Minute)); err != nil {
			b.Fatal(err)
		}
		var state State
		b.Run(c.name+"/suspend", func(b *testing.B) {
			for b.Loop() {
				if state, err = v.Suspend(1 << 30); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(state.Bytes), "dirty-bytes")
			b.ReportMetric(float64(len(state.Data)), "stored-bytes")
		})
		if state, err = v.Suspend(1 << 30); err != nil {
			b.Fatal(err)
		}
		b.Run(c.name+"/resume", func(b *testing.B) {
			for b.Loop() {
				r, err := e.Resume(state.Data, state.Counters, noHost{}, testLimits())
				if err != nil {
					b.Fatal(err)
				}
				r.Close()
			}
		})
		v.Close()
	}
}

// BenchmarkStart is what a process pays before its first cell, with compiled code at hand.
func BenchmarkStart(b *testing.B) {
	ctx := context.Background()
	dir := b.TempDir()
	for b.Loop() {
		e, err := New(ctx, Options{CacheDir: dir})
		if err != nil {
			b.Fatal(err)
		}
		if err := e.Close(ctx); err != nil {
			b.Fatal(err)
		}
	}
}
