//go:build linux && !codemode_portable

package vm

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"testing"
	"time"
)

// hotCell has its own number, so that an answer that reaches another VM shows.
func hotCell(i int) string {
	return fmt.Sprintf("const mine = %d; const v = await tools.callValue('openclaw:core:a', { n: mine }); return [mine, v.n + 1];", i)
}

// startHot starts n VMs that wait for a call.
func startHot(tb testing.TB, e *Engine, n int) []*VM {
	tb.Helper()
	vms := make([]*VM, n)
	deadline := time.Now().Add(5 * time.Minute)
	for i := range vms {
		v, err := e.Start(noHost{}, testLimits())
		if err != nil {
			tb.Fatalf("VM %d: %v", i, err)
		}
		vms[i] = v
		turn, err := v.Run(Cell{Code: hotCell(i)}, deadline)
		if err != nil || len(turn.Requests) != 1 {
			tb.Fatalf("VM %d: %d requests, %v", i, len(turn.Requests), err)
		}
	}
	return vms
}

// settleHot answers them in another order than they were started in; each must go on with its own data.
func settleHot(tb testing.TB, vms []*VM) {
	tb.Helper()
	deadline := time.Now().Add(5 * time.Minute)
	for i := len(vms) - 1; i >= 0; i-- {
		turn, err := vms[i].Settle(Settlement{ID: 1, Remote: true, Value: fmt.Appendf(nil, `{"n":%d}`, i*3)}, deadline)
		if want := fmt.Sprintf("[%d,%d]", i, i*3+1); err != nil || string(turn.Returned) != want {
			tb.Fatalf("VM %d returned %s, %v; want %s", i, turn.Returned, err, want)
		}
		vms[i].Close()
		vms[i] = nil
	}
}

func TestManyHotVMs(t *testing.T) {
	t.Parallel()
	settleHot(t, startHot(t, testEngine(t), 200))
}

// BenchmarkHot keeps 2,000 waiting VMs alive at once and reports what each keeps resident.
func BenchmarkHot(b *testing.B) {
	const n = 2000
	e := testEngine(b)
	for b.Loop() {
		before := residentBytes(b)
		vms := startHot(b, e, n)
		b.ReportMetric(float64(residentBytes(b)-before)/n, "resident-bytes/vm")
		settleHot(b, vms)
	}
}

// residentBytes is what the process keeps in memory for itself. Pages that VMs share are counted once.
func residentBytes(tb testing.TB) int {
	tb.Helper()
	runtime.GC()
	text, err := os.ReadFile("/proc/self/smaps_rollup")
	if err != nil {
		tb.Fatal(err)
	}
	for line := range bytes.Lines(text) {
		if rest, ok := bytes.CutPrefix(line, []byte("Pss:")); ok {
			kb, err := strconv.Atoi(string(bytes.Fields(rest)[0]))
			if err != nil {
				tb.Fatal(err)
			}
			return kb << 10
		}
	}
	tb.Fatal("the kernel does not tell what is resident")
	return 0
}
