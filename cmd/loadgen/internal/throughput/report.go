package throughput

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"runtime"
	"slices"
	"strings"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// report is the result of a measurement, as --json prints it. Times are milliseconds.
type report struct {
	Cells       int                `json:"cells"`
	Concurrency int                `json:"concurrency"`
	Calls       int                `json:"callsPerCell"`
	ToolLatency float64            `json:"toolLatencyMs"`
	Failed      int                `json:"failed"`
	Failures    map[string]failure `json:"failures"` // by detail
	Waits       int                `json:"waits"`    // wait jobs, for cells that parked
	Fetched     int                `json:"fetchedReplies"`
	WallSeconds float64            `json:"wallSeconds"`
	CellsPerSec float64            `json:"cellsPerSecond"`
	Latency     latencies          `json:"latencyMs"`
	Medians     medians            `json:"workerMedianMs"`
	Machine     machine            `json:"machine"`
}

// latencies are those from publishing to the reply.
type latencies struct {
	P50 float64 `json:"p50"`
	P95 float64 `json:"p95"`
	P99 float64 `json:"p99"`
	Max float64 `json:"max"`
}

// medians are those of the timing in the replies (protocol 5).
type medians struct {
	Queued float64 `json:"queuedMs"`
	VM     float64 `json:"vmMs"`
	Tool   float64 `json:"toolMs"`
	Total  float64 `json:"totalMs"`
}

// machine is where it was measured.
type machine struct {
	OS         string `json:"os"`
	Arch       string `json:"arch"`
	Cores      int    `json:"cores"`
	GOMAXPROCS int    `json:"gomaxprocs"`
	Go         string `json:"go"`
	NATS       string `json:"natsServer"`
	Embedded   bool   `json:"embedded"` // generator, server and worker share the cores
}

func (m *measurement) report(s settings, natsVersion string) *report {
	m.mu.Lock()
	defer m.mu.Unlock()
	at := func(h *hdrhistogram.Histogram, percentile float64) float64 {
		return float64(h.ValueAtPercentile(percentile)) / 1000
	}
	return &report{
		Cells: m.cells, Concurrency: s.concurrency, Calls: s.calls, ToolLatency: float64(s.toolLatency.Microseconds()) / 1000,
		Failed: m.failedLocked(), Failures: m.failures, Waits: m.waits, Fetched: m.fetched,
		WallSeconds: thousandths(m.wall.Seconds()), CellsPerSec: thousandths(float64(m.cells) / m.wall.Seconds()),
		Latency: latencies{at(m.latency, 50), at(m.latency, 95), at(m.latency, 99), float64(m.latency.Max()) / 1000},
		Medians: medians{at(m.queued, 50), at(m.inVM, 50), at(m.tools, 50), at(m.total, 50)},
		Machine: machine{runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.GOMAXPROCS(0), runtime.Version(), natsVersion, s.embedded},
	}
}

func thousandths(v float64) float64 { return math.Round(v*1000) / 1000 }

func (r *report) print(out io.Writer, asJSON bool) error {
	if asJSON {
		enc := json.NewEncoder(out)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		return enc.Encode(r)
	}
	_, err := io.WriteString(out, r.table())
	return err
}

func (r *report) table() string {
	var b strings.Builder
	row := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "%-16s"+format+"\n", append([]any{name}, args...)...)
	}
	row("cells", "%d, %d in flight, %d tool calls each", r.Cells, r.Concurrency, r.Calls)
	row("failed", "%d", r.Failed)
	for _, detail := range slices.Sorted(maps.Keys(r.Failures)) {
		f := r.Failures[detail]
		row("  "+detail, "%d, such as: %s", f.Count, oneLine(f.Example))
	}
	if r.Waits > 0 {
		row("waits", "%d, for cells that parked", r.Waits)
	}
	if r.Fetched > 0 {
		row("fetched", "%d replies were missed and read from the stream", r.Fetched)
	}
	row("wall time", "%.3f s", r.WallSeconds)
	row("throughput", "%.0f cells/s", r.CellsPerSec)
	row("latency", "p50 %.2f ms   p95 %.2f ms   p99 %.2f ms   max %.2f ms", r.Latency.P50, r.Latency.P95, r.Latency.P99, r.Latency.Max)
	row("worker, median", "queued %.2f ms   vm %.2f ms   tools %.2f ms   total %.2f ms", r.Medians.Queued, r.Medians.VM, r.Medians.Tool, r.Medians.Total)
	where := "server and workers elsewhere"
	if r.Machine.Embedded {
		where = "generator, server and worker share the cores"
	}
	row("machine", "%s/%s, %d cores, GOMAXPROCS %d, %s, nats-server %s; %s",
		r.Machine.OS, r.Machine.Arch, r.Machine.Cores, r.Machine.GOMAXPROCS, r.Machine.Go, r.Machine.NATS, where)
	return b.String()
}

// oneLine keeps a text of a guest's on one line of a terminal.
func oneLine(s string) string {
	const most = 160
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, s)
	if runes := []rune(s); len(runes) > most {
		s = string(runes[:most]) + "…"
	}
	return s
}
