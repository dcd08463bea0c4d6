package throughput

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"codemode/cmd/loadgen/internal/gatewaysim"
	"codemode/protocol"
)

// wrongValue is the detail of a cell that completed with another value than it must have.
const wrongValue = "wrong_value"

// echo is the tool of the cells.
func echo(latency time.Duration) gatewaysim.Tool {
	return gatewaysim.Tool{
		Tool: protocol.Tool{
			Source: protocol.SourceOpenClaw, Name: "echo", Description: "Gives its input back.",
			Parameters: json.RawMessage(`{"type":"object"}`),
		},
		Latency: latency,
		Handler: func(_ context.Context, call protocol.Call) (any, error) { return call.Input, nil },
	}
}

// loop runs n cells, s.concurrency at a time, each starting when one before it has ended.
func (s settings) loop(ctx context.Context, g *gatewaysim.Gateway, n int, what string, progress io.Writer) (*measurement, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	m := newMeasurement()
	var next atomic.Int64
	var lanes, watch sync.WaitGroup
	var first sync.Once
	var failure error
	done := make(chan struct{})
	watch.Go(func() { m.watch(progress, what, n, done, cancel) })
	for lane := range min(s.concurrency, n) {
		lanes.Go(func() {
			// A session for each lane: at most one of its runs is suspended at a time (contract 12.3).
			session := "loadgen-" + strconv.Itoa(lane)
			for next.Add(1) <= int64(n) {
				if err := s.one(ctx, g, session, m); err != nil {
					first.Do(func() { failure = err })
					cancel(err)
					return
				}
			}
		})
	}
	lanes.Wait()
	m.wall = time.Since(m.began)
	close(done)
	watch.Wait()
	return m, failure
}

// leg is what is read of a reply; decoding all of it would take a part of the cores that are measured.
type leg struct {
	Result struct {
		Status protocol.Status `json:"status"`
		Value  json.RawMessage `json:"value"`
		Detail string          `json:"detail"`
		Error  string          `json:"error"`
	} `json:"result"`
	Timing protocol.Timing `json:"timing"`
}

// one runs a cell to its end. An error ends the measurement; a cell that failed is none.
func (s settings) one(ctx context.Context, g *gatewaysim.Gateway, session string, m *measurement) error {
	run := g.NewRun(protocol.Scope{SessionID: session})
	defer run.Close()
	var sum outcome
	next := func(ctx context.Context) (gatewaysim.Answer, error) { return run.Exec(ctx, s.cell) }
	for {
		answer, err := next(ctx)
		if err != nil {
			return err
		}
		m.replies.Add(1)
		var reply leg
		if err := json.Unmarshal(answer.Raw, &reply); err != nil {
			return fmt.Errorf("read reply: %w", err)
		}
		sum.add(answer, reply.Timing)
		if reply.Result.Status == protocol.StatusWaiting {
			next = run.Wait
			continue
		}
		sum.detail, sum.text = s.judge(reply)
		m.record(sum)
		return nil
	}
}

// judge gives the detail under which a cell that did not do what it should is counted, and one text as example.
func (s settings) judge(reply leg) (detail, text string) {
	switch {
	case reply.Result.Status == protocol.StatusFailed && reply.Result.Detail != "":
		return reply.Result.Detail, reply.Result.Error
	case reply.Result.Status != protocol.StatusCompleted:
		return "invalid_reply", fmt.Sprintf("status is %q, detail %q", reply.Result.Status, reply.Result.Detail)
	case s.want != "" && string(reply.Result.Value) != s.want:
		return wrongValue, "value is " + string(reply.Result.Value) + ", want " + s.want
	}
	return "", ""
}
