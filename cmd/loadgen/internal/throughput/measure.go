package throughput

import (
	"context"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"codemode/cmd/loadgen/internal/gatewaysim"
	"codemode/protocol"
)

// outcome is one cell from its first job to its last reply.
type outcome struct {
	took    time.Duration
	timing  protocol.Timing // sums over its legs
	legs    int
	fetched int
	detail  string // "" where it did what it should
	text    string
}

func (o *outcome) add(a gatewaysim.Answer, t protocol.Timing) {
	o.legs++
	o.took += a.Took
	o.timing.QueuedMs += t.QueuedMs
	o.timing.VMMs += t.VMMs
	o.timing.ToolMs += t.ToolMs
	o.timing.TotalMs += t.TotalMs
	if a.Fetched {
		o.fetched++
	}
}

// measurement collects outcomes; wall is set when all are in.
type measurement struct {
	began   time.Time
	wall    time.Duration
	replies atomic.Int64 // also those that say to wait

	every, patience time.Duration // see the constants

	mu                         sync.Mutex
	latency                    *hdrhistogram.Histogram // microseconds, of cells that did what they should
	queued, inVM, tools, total *hdrhistogram.Histogram // microseconds, likewise
	cells, waits, fetched      int
	failures                   map[string]failure
}

// failure is how often a detail came, with the first text.
type failure struct {
	Count   int    `json:"count"`
	Example string `json:"example"`
}

// The histograms hold 1 µs to an hour with an error below 0.1 %.
const (
	longestMicros = int64(time.Hour / time.Microsecond)
	digits        = 3
)

func newMeasurement() *measurement {
	h := func() *hdrhistogram.Histogram { return hdrhistogram.New(1, longestMicros, digits) }
	return &measurement{began: time.Now(), every: progressEvery, patience: patience, latency: h(), queued: h(), inVM: h(), tools: h(), total: h(), failures: map[string]failure{}}
}

func (m *measurement) record(o outcome) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.cells++
	m.waits += max(0, o.legs-1)
	m.fetched += o.fetched
	if o.detail != "" {
		f := m.failures[o.detail]
		if f.Count == 0 {
			f.Example = o.text
		}
		f.Count++
		m.failures[o.detail] = f
		return
	}
	put(m.latency, float64(o.took.Microseconds()))
	put(m.queued, o.timing.QueuedMs*1000)
	put(m.inVM, o.timing.VMMs*1000)
	put(m.tools, o.timing.ToolMs*1000)
	put(m.total, o.timing.TotalMs*1000)
}

// put clips what a histogram cannot hold: a worker may send any number.
func put(h *hdrhistogram.Histogram, micros float64) {
	_ = h.RecordValue(int64(min(max(micros, 0), float64(longestMicros)))) // fails only beyond that
}

// counts gives how many cells have ended, and how many of them failed.
func (m *measurement) counts() (cells, failed int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.cells, m.failedLocked()
}

func (m *measurement) failedLocked() int {
	n := 0
	for _, f := range m.failures {
		n += f.Count
	}
	return n
}

const (
	// progressEvery is how often long work says how far it is.
	progressEvery = 2 * time.Second
	// patience is how long no reply at all may come before the pool is taken for dead. A leg replies within
	// its time limit, 10 s by default, even if its tools take longer.
	patience = 30 * time.Second
)

var errNoReply = fmt.Errorf("no reply within %s: are workers running, for this server and prefix?", patience)

// watch says how far it is until done is closed, and gives up on a pool that does not reply.
func (m *measurement) watch(out io.Writer, what string, n int, done <-chan struct{}, giveUp context.CancelCauseFunc) {
	tick := time.NewTicker(m.every)
	defer tick.Stop()
	lastSeen, lastReplies := m.began, int64(0)
	for {
		select {
		case <-done:
			return
		case now := <-tick.C:
			cells, failed := m.counts()
			fmt.Fprintf(out, "%s: %d of %d cells, %.0f a second, %d failed\n",
				what, cells, n, float64(cells)/now.Sub(m.began).Seconds(), failed)
			if replies := m.replies.Load(); replies > lastReplies {
				lastSeen, lastReplies = now, replies
			} else if now.Sub(lastSeen) >= m.patience {
				giveUp(errNoReply)
			}
		}
	}
}
