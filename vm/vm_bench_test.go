package vm

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

func BenchmarkCell(b *testing.B) {
	e := testEngine(b)
	limits := testLimits()
	deadline := time.Now().Add(time.Hour)
	b.Run("return", func(b *testing.B) {
		for b.Loop() {
			v, err := e.Start(noHost{}, limits)
			if err != nil {
				b.Fatal(err)
			}
			if _, err := v.Run(Cell{Code: "return 1 + 1"}, deadline); err != nil {
				b.Fatal(err)
			}
			v.Close()
		}
	})
	b.Run("call", func(b *testing.B) {
		code, answer := benchFile(b, "call.js"), []byte(benchFile(b, "answer.json"))
		const want = `{"late":3,"total":445,"names":["Grace","Noor"]}`
		for b.Loop() {
			v, err := e.Start(noHost{}, limits)
			if err != nil {
				b.Fatal(err)
			}
			if _, err := v.Run(Cell{Code: code}, deadline); err != nil {
				b.Fatal(err)
			}
			turn, err := v.Settle(Settlement{ID: 1, Remote: true, Value: answer}, deadline)
			if err != nil || string(turn.Returned) != want {
				b.Fatal(string(turn.Returned), err)
			}
			v.Close()
		}
	})
	b.Run("suspend", func(b *testing.B) {
		var size int
		for b.Loop() {
			v, state := parkedVM(b, e)
			size = len(state.Data)
			v.Close()
		}
		b.ReportMetric(float64(size), "snapshot-bytes")
	})
	b.Run("resume", func(b *testing.B) {
		v, state := parkedVM(b, e)
		v.Close()
		for b.Loop() {
			v, err := e.Resume(state.Data, state.Counters, noHost{}, limits)
			if err != nil {
				b.Fatal(err)
			}
			turn, err := v.Settle(Settlement{ID: 1, Remote: true, Value: []byte(`{"n":41}`)}, deadline)
			if err != nil || string(turn.Returned) != "42" {
				b.Fatal(string(turn.Returned), err)
			}
			v.Close()
		}
		b.ReportMetric(float64(len(state.Data)), "snapshot-bytes")
	})
}

// benchFile reads one of the cells that bench/run.sh compares with Node.
func benchFile(tb testing.TB, name string) string {
	tb.Helper()
	text, err := os.ReadFile(filepath.Join("..", "bench", "cells", name))
	if err != nil {
		tb.Fatal(err)
	}
	return string(text)
}

// parkedVM is the small cell of design 2: it waits for one call.
func parkedVM(tb testing.TB, e *Engine) (*VM, State) {
	tb.Helper()
	v, err := e.Start(noHost{}, testLimits())
	if err != nil {
		tb.Fatal(err)
	}
	if _, err := v.Run(Cell{Code: "const v = await tools.callValue('openclaw:core:a', { n: 1 });\nreturn v.n + 1;"}, time.Now().Add(time.Minute)); err != nil {
		tb.Fatal(err)
	}
	state, err := v.Suspend(10 << 20)
	if err != nil {
		tb.Fatal(err)
	}
	return v, state
}
