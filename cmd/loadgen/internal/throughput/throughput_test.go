package throughput

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"codemode/cmd/loadgen/internal/gatewaysim"
	"codemode/protocol"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m)
}

func TestMeasurementAddsUpLegs(t *testing.T) {
	t.Parallel()
	m := newMeasurement()
	var two outcome
	two.add(gatewaysim.Answer{Took: 3 * time.Millisecond}, protocol.Timing{QueuedMs: 1, VMMs: 0.5, ToolMs: 0.25, TotalMs: 2})
	two.add(gatewaysim.Answer{Took: 2 * time.Millisecond, Fetched: true}, protocol.Timing{QueuedMs: 1, VMMs: 0.5, ToolMs: 0.25, TotalMs: 1})
	m.record(two)
	m.record(outcome{legs: 1, took: time.Second, detail: "timeout", text: "first"})
	m.record(outcome{legs: 1, took: time.Second, detail: "timeout", text: "second"})
	m.wall = 2 * time.Second
	r := m.report(settings{concurrency: 4, calls: 1, toolLatency: 1500 * time.Microsecond, embedded: true}, "2.0.0")
	if r.Cells != 3 || r.Failed != 2 || r.Waits != 1 || r.Fetched != 1 || r.CellsPerSec != 1.5 || r.ToolLatency != 1.5 {
		t.Errorf("report %+v", r)
	}
	if r.Failures["timeout"] != (failure{2, "first"}) {
		t.Errorf("failures %+v", r.Failures)
	}
	near := func(name string, got, want float64) {
		if math.Abs(got-want) > want/500 {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
	near("p50", r.Latency.P50, 5) // of the good one alone
	near("max", r.Latency.Max, 5)
	near("queued", r.Medians.Queued, 2)
	near("vm", r.Medians.VM, 1)
	near("tools", r.Medians.Tool, 0.5)
	near("total", r.Medians.Total, 3)
}

func TestMeasurementTakesAnyTiming(t *testing.T) {
	t.Parallel()
	m := newMeasurement()
	for _, ms := range []float64{-1, 1e308, math.Inf(1)} {
		m.record(outcome{took: -time.Second, timing: protocol.Timing{QueuedMs: ms}})
	}
	if got := m.queued.TotalCount(); got != 3 {
		t.Errorf("%d timings recorded, want 3", got)
	}
	if got := m.latency.Max(); got != 0 {
		t.Errorf("latest latency %d µs, want 0", got)
	}
}

func TestJudge(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ want, result, detail string }{
		{"2", `{"status":"completed","value":2}`, ""},
		{"2", `{"status":"completed","value":3}`, wrongValue},
		{"", `{"status":"completed","value":3}`, ""},
		{"", `{"status":"failed","detail":"timeout","error":"x"}`, "timeout"},
		{"", `{"status":"failed"}`, "invalid_reply"},
		{"", `{}`, "invalid_reply"},
	} {
		var reply leg
		if err := json.Unmarshal([]byte(`{"result":`+c.result+`}`), &reply); err != nil {
			t.Fatal(err)
		}
		if detail, _ := (settings{want: c.want}).judge(reply); detail != c.detail {
			t.Errorf("%s with want %q: detail %q, want %q", c.result, c.want, detail, c.detail)
		}
	}
}

func TestWatchTellsAndGivesUp(t *testing.T) {
	t.Parallel()
	m := newMeasurement()
	m.every, m.patience = time.Millisecond, 50*time.Millisecond
	m.record(outcome{detail: "timeout"})
	ctx, cancel := context.WithCancelCause(t.Context())
	done, ended := make(chan struct{}), make(chan struct{})
	var out bytes.Buffer
	go func() {
		m.watch(&out, "measuring", 7, done, cancel)
		close(ended)
	}()
	<-ctx.Done()
	if err := context.Cause(ctx); !errors.Is(err, errNoReply) {
		t.Errorf("cause %v", err)
	}
	close(done)
	<-ended
	line, _, _ := strings.Cut(out.String(), "\n")
	if !strings.HasPrefix(line, "measuring: 1 of 7 cells, ") || !strings.HasSuffix(line, " a second, 1 failed") {
		t.Errorf("progress %q", line)
	}
}

func TestTableKeepsGuestTextOnALine(t *testing.T) {
	t.Parallel()
	r := &report{Cells: 2, Failed: 2, Fetched: 1, Waits: 3, Failures: map[string]failure{
		"timeout": {1, "b"}, "guest_error": {1, "Error: \x1b[31m\nrow 2" + strings.Repeat("é", 300)},
	}}
	table := r.table()
	if strings.Contains(table, "\x1b") || !strings.Contains(table, "  guest_error   1, such as: Error:  [31m row 2é") || strings.Contains(table, strings.Repeat("é", 161)) {
		t.Errorf("table\n%s", table)
	}
	if strings.Index(table, "guest_error") > strings.Index(table, "timeout") || !strings.Contains(table, "waits           3") || !strings.Contains(table, "fetched         1 ") {
		t.Errorf("table\n%s", table)
	}
}
