package gateway_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"codemode/gateway"
	"codemode/protocol"
)

func TestSecondServeIsRefused(t *testing.T) {
	t.Parallel()
	c := newRig(t).serve(gateway.Options{}, echo)
	if err := c.Serve(echo); !errors.Is(err, gateway.ErrServing) {
		t.Errorf("got %v", err)
	}
}

// TestAnswers has what a handler may give, and what the worker gets of it.
func TestAnswers(t *testing.T) {
	t.Parallel()
	ctx, r := patience(t), newRig(t)
	ensure(ctx, t, r.nc)
	give := map[string]func() (any, error){
		"value":    func() (any, error) { return map[string]int{"n": 1}, nil },
		"nil":      func() (any, error) { return nil, nil },
		"whole":    func() (any, error) { return gateway.ToolResult(`{"content":[],"details":1}`), nil },
		"no whole": func() (any, error) { return gateway.ToolResult(`[1]`), nil },
		"error":    func() (any, error) { return nil, errors.New("no such file") },
		"blocked":  func() (any, error) { return nil, gateway.Blocked("not today") },
		"panic":    func() (any, error) { panic("secret") },
		"channel":  func() (any, error) { return make(chan int), nil },
		"no JSON":  func() (any, error) { return json.RawMessage(`{"a":`), nil },
		"no UTF-8": func() (any, error) { return json.RawMessage("\"\xff\""), nil },
		"20 MB":    func() (any, error) { return strings.Repeat("x", 20<<20), nil },
	}
	r.serve(gateway.Options{}, func(_ context.Context, call *gateway.Call) (any, error) { return give[call.ToolName]() })
	run := gateway.NewRunID()
	for tool, want := range map[string]string{
		"value":    `"ok":true,"value":{"n":1}}`,
		"nil":      `"ok":true,"value":null}`,
		"whole":    `"ok":true,"result":{"content":[],"details":1}}`,
		"no whole": `"ok":false,"error":{"message":"tool returned a value that is no JSON."}}`,
		"error":    `"ok":false,"error":{"message":"no such file"}}`,
		"blocked":  `"ok":false,"error":{"message":"not today","kind":"blocked"}}`,
		"panic":    `"ok":false,"error":{"message":"tool failed unexpectedly"}}`,
		"channel":  `"ok":false,"error":{"message":"tool returned a value that is no JSON."}}`,
		"no JSON":  `"ok":false,"error":{"message":"tool returned a value that is no JSON."}}`,
		"no UTF-8": `"ok":false,"error":{"message":"tool returned a value that is no JSON."}}`,
		"20 MB":    `"ok":false,"error":{"message":"code mode tool result is too large."}}`,
	} {
		callID, answer, err := r.send(ctx, run, 1, tool, `{}`)
		if err != nil {
			t.Fatal(err)
		}
		if len(answer) == 0 { // slow machines: it was accepted
			answer = r.result(ctx, run, callID)
		}
		if _, err := protocol.DecodeCallResult(callID, answer); err != nil || !strings.HasSuffix(string(answer), want) {
			t.Errorf("%s: %s, %v", tool, answer, err)
		}
	}
}

// result waits for a stored result.
func (r *rig) result(ctx context.Context, run, callID string) []byte {
	r.t.Helper()
	js := jetStream(r.t, r.nc)
	stream, err := js.Stream(ctx, "CM_RUNS")
	if err != nil {
		r.t.Fatal(err)
	}
	for {
		if msg, err := stream.GetLastMsgForSubject(ctx, "cm.run."+tenant+"."+run+".result."+callID); err == nil {
			return msg.Data
		}
		if ctx.Err() != nil {
			r.t.Fatalf("no result of %s", callID)
		}
	}
}

func TestMalformedCallIsAnswered(t *testing.T) {
	t.Parallel()
	ctx, r := patience(t), newRig(t)
	r.serve(gateway.Options{}, echo)
	run := gateway.NewRunID()
	callID, good := makeCall(t, run, 1, "a", `{}`)
	for name, data := range map[string][]byte{
		"no JSON":      []byte("{"),
		"version":      bytes.Replace(good, []byte(`"v":1`), []byte(`"v":2`), 1),
		"other run":    bytes.Replace(good, []byte(run), []byte("cm_0123456789abcdef"), 1),
		"other tenant": bytes.Replace(good, []byte(`"acme"`), []byte(`"evil"`), 1),
	} {
		msg, err := r.nc.RequestWithContext(ctx, "cm.run."+tenant+"."+run+".call."+callID, data)
		if err != nil {
			t.Fatal(err)
		}
		if res, err := protocol.DecodeCallResult(callID, msg.Data); err != nil || res.OK {
			t.Errorf("%s: %s, %v", name, msg.Data, err)
		}
	}
}

func TestSlowCallIsAcceptedAndRepeatedOnesAreNotExecuted(t *testing.T) {
	t.Parallel()
	for name, opt := range map[string]gateway.Options{
		"by time": {AcceptAfter: 20 * time.Millisecond}, "by the handler": {AcceptAfter: time.Hour},
		"ledger": {AcceptAfter: 20 * time.Millisecond, Guard: once},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, r := patience(t), newRig(t)
			ensure(ctx, t, r.nc)
			release := make(chan struct{})
			var calls atomic.Int32
			handler := func(_ context.Context, call *gateway.Call) (any, error) {
				calls.Add(1)
				if name == "by the handler" {
					call.Accept()
				}
				<-release
				return 7, nil
			}
			r.serve(opt, handler)
			run := gateway.NewRunID()
			for range 3 {
				if _, answer, err := r.send(ctx, run, 1, "a", `{}`); err != nil || len(answer) != 0 {
					t.Fatalf("answer %q, %v", answer, err)
				}
			}
			if name == "ledger" { // another replica
				r.serve(gateway.Options{AcceptAfter: 20 * time.Millisecond, Guard: once, QueueGroup: "other"}, handler)
				if _, answer, err := r.send(ctx, run, 1, "a", `{}`); err != nil || len(answer) != 0 {
					t.Fatalf("answer %q, %v", answer, err)
				}
			}
			close(release)
			callID, _ := makeCall(t, run, 1, "a", `{}`)
			if got := r.result(ctx, run, callID); !strings.Contains(string(got), `"value":7`) {
				t.Errorf("result %s", got)
			}
			_, answer, err := r.send(ctx, run, 1, "a", `{}`) // after the result is there
			if err != nil || len(answer) != 0 && !strings.Contains(string(answer), `"value":7`) {
				t.Errorf("answer %q, %v", answer, err)
			}
			if calls.Load() != 1 {
				t.Errorf("%d executions", calls.Load())
			}
		})
	}
}

func TestConcurrencyIsBounded(t *testing.T) {
	t.Parallel()
	ctx, r := patience(t), newRig(t)
	ensure(ctx, t, r.nc)
	var running, most atomic.Int32
	entered, release := make(chan struct{}, 16), make(chan struct{})
	r.serve(gateway.Options{Concurrency: 2, AcceptAfter: time.Millisecond}, func(context.Context, *gateway.Call) (any, error) {
		most.Store(max(most.Load(), running.Add(1)))
		entered <- struct{}{}
		<-release
		running.Add(-1)
		return 1, nil
	})
	run := gateway.NewRunID()
	var ids []string
	for n := range 8 {
		callID, answer, err := r.send(ctx, run, n+1, "a", `{}`)
		if err != nil || len(answer) != 0 {
			t.Fatalf("answer %q, %v: one that waits is accepted too", answer, err)
		}
		ids = append(ids, callID)
	}
	<-entered
	<-entered
	close(release)
	for _, id := range ids {
		r.result(ctx, run, id)
	}
	if most.Load() > 2 {
		t.Errorf("%d handlers ran at once", most.Load())
	}
}

func TestHandlerThatNeverReturns(t *testing.T) {
	t.Parallel()
	ctx, r := patience(t), newRig(t)
	ensure(ctx, t, r.nc)
	release := make(chan struct{})
	defer close(release)
	c := r.serve(gateway.Options{CallTimeout: 50 * time.Millisecond, AcceptAfter: time.Millisecond, Grace: 50 * time.Millisecond},
		func(context.Context, *gateway.Call) (any, error) { <-release; return 1, nil })
	run := gateway.NewRunID()
	callID, _, err := r.send(ctx, run, 1, "a", `{}`)
	if err != nil {
		t.Fatal(err)
	}
	if got := r.result(ctx, run, callID); !strings.Contains(string(got), gateway.OutcomeUnknown) {
		t.Errorf("result %s", got)
	}
	if err := c.Close(); !errors.Is(err, gateway.ErrGrace) {
		t.Errorf("close: %v", err)
	}
}

func TestCloseLetsCallsFinish(t *testing.T) {
	t.Parallel()
	ctx, r := patience(t), newRig(t)
	ensure(ctx, t, r.nc)
	entered := make(chan struct{})
	c := r.serve(gateway.Options{AcceptAfter: time.Millisecond, Grace: 20 * time.Millisecond}, func(ctx context.Context, call *gateway.Call) (any, error) {
		close(entered)
		<-ctx.Done()
		return nil, ctx.Err()
	})
	run := gateway.NewRunID()
	callID, _, err := r.send(ctx, run, 1, "a", `{}`)
	if err != nil {
		t.Fatal(err)
	}
	<-entered
	if err := c.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
	if got := r.result(ctx, run, callID); !strings.Contains(string(got), gateway.OutcomeUnknown) {
		t.Errorf("a call that was cut off gives %s", got)
	}
}

func TestReplicasShareTheCalls(t *testing.T) {
	t.Parallel()
	ctx, r := patience(t), newRig(t)
	var calls atomic.Int32
	count := func(context.Context, *gateway.Call) (any, error) { calls.Add(1); return 1, nil }
	for range 3 {
		r.serve(gateway.Options{}, count)
	}
	run := gateway.NewRunID()
	for n := range 30 {
		if _, _, err := r.send(ctx, run, n+1, "a", `{}`); err != nil {
			t.Fatal(err)
		}
	}
	if calls.Load() != 30 {
		t.Errorf("%d executions of 30 calls", calls.Load())
	}
}
