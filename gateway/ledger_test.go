package gateway_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"codemode/gateway"
	"codemode/internal/natstest"
	"codemode/protocol"
)

func TestServeWithoutALedger(t *testing.T) {
	t.Parallel()
	c, err := gateway.New(natstest.Connect(t, natstest.Server(t)), gateway.Options{Guard: once, Logger: logger()})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := c.Serve(echo); !errors.Is(err, gateway.ErrNoLedger) {
		t.Errorf("got %v", err)
	}
}

func TestGuardedCallIsExecutedOnceByAll(t *testing.T) {
	t.Parallel()
	ctx, r := patience(t), newRig(t)
	ensure(ctx, t, r.nc)
	var calls atomic.Int32
	count := func(context.Context, *gateway.Call) (any, error) { return calls.Add(1), nil }
	// Queue groups of their own: every one of them gets every call.
	for _, group := range []string{"a", "b", "c"} {
		r.serve(gateway.Options{Guard: once, QueueGroup: group}, count)
	}
	run := gateway.NewRunID()
	for n := range 20 {
		for range 2 {
			callID, _, err := r.send(ctx, run, n+1, "a", `{}`)
			if err != nil {
				t.Fatal(err)
			}
			r.result(ctx, run, callID)
		}
	}
	if calls.Load() != 20 {
		t.Errorf("%d executions of 20 calls", calls.Load())
	}
}

// deadExecutor leaves a claimed and accepted call behind, as a process does that is killed.
func (r *rig) deadExecutor(ctx context.Context, run string, guard gateway.Guard) (callID string) {
	r.t.Helper()
	entered := make(chan struct{})
	link := newLink(r.t, strings.TrimPrefix(r.url, "nats://"))
	c := r.clientAt(link.url(), gateway.Options{
		Guard: func(*gateway.Call) gateway.Guard { return guard }, Lease: time.Second, AcceptAfter: time.Hour, QueueGroup: "doomed", Grace: time.Millisecond,
	})
	err := c.Serve(func(ctx context.Context, call *gateway.Call) (any, error) {
		call.Accept()
		close(entered)
		<-ctx.Done()
		return nil, ctx.Err()
	})
	if err != nil {
		r.t.Fatal(err)
	}
	callID, answer, err := r.send(ctx, run, 1, "a", `{"x":1}`)
	if err != nil || len(answer) != 0 {
		r.t.Fatalf("answer %q, %v", answer, err)
	}
	<-entered
	link.set(true) // it goes on, but nobody hears of it any more
	return callID
}

func TestCallOfADeadExecutor(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		guard gateway.Guard
		want  string
		runs  int32
	}{
		"once":   {gateway.GuardOnce, gateway.OutcomeUnknown, 0},
		"replay": {gateway.GuardReplay, `"value":{"x":1}`, 1},
	} {
		for _, again := range []bool{true, false} {
			t.Run(name+map[bool]string{true: " sent again", false: " found by who waits"}[again], func(t *testing.T) {
				t.Parallel()
				ctx, r := patience(t), newRig(t)
				ensure(ctx, t, r.nc)
				run := gateway.NewRunID()
				callID := r.deadExecutor(ctx, run, c.guard)
				var runs atomic.Int32
				heir := r.serve(gateway.Options{Guard: func(*gateway.Call) gateway.Guard { return c.guard }, Lease: time.Second}, func(ctx context.Context, call *gateway.Call) (any, error) {
					runs.Add(1)
					return echo(ctx, call)
				})
				if again {
					for r.stored(ctx, run, callID) == nil && ctx.Err() == nil {
						if _, _, err := r.send(ctx, run, 1, "a", `{"x":1}`); err != nil {
							t.Fatal(err)
						}
					}
				} else if err := heir.AwaitNews(ctx, run, []protocol.PendingCall{{Method: protocol.MethodCallValue, CallID: callID}}, time.Minute); err != nil {
					t.Fatal(err)
				}
				if got := r.result(ctx, run, callID); !strings.Contains(string(got), c.want) {
					t.Errorf("result %s, want %s", got, c.want)
				}
				if runs.Load() != c.runs {
					t.Errorf("the heir executed it %d times", runs.Load())
				}
			})
		}
	}
}

func (r *rig) stored(ctx context.Context, run, callID string) []byte {
	r.t.Helper()
	stream, err := jetStream(r.t, r.nc).Stream(ctx, "CM_RUNS")
	if err != nil {
		r.t.Fatal(err)
	}
	msg, err := stream.GetLastMsgForSubject(ctx, "cm.run."+tenant+"."+run+".result."+callID)
	if err != nil {
		return nil
	}
	return msg.Data
}

func TestApproval(t *testing.T) {
	t.Parallel()
	for name, guard := range map[string]func(*gateway.Call) gateway.Guard{"guarded": once, "not guarded": nil} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, r := patience(t), newRig(t).worker()
			c := r.serve(gateway.Options{Guard: guard}, func(_ context.Context, call *gateway.Call) (any, error) {
				return nil, gateway.Pending("pay " + string(call.Input))
			})
			type end struct {
				out *gateway.Outcome
				err error
			}
			ends := make(chan end, 2)
			for _, amount := range []string{"1", "2"} {
				go func() {
					out, err := c.Run(ctx, gateway.Cell{
						Code:    `try { return await tools.callValue("pay", {amount: ` + amount + `}) } catch (e) { return e.message }`,
						Catalog: tools("pay"), Config: []byte(`{"enabled":true,"timeoutMs":100}`),
					})
					ends <- end{out, err}
				}()
			}
			other := r.client(gateway.Options{})
			var list []gateway.Approval
			for len(list) < 2 {
				var err error
				if list, err = other.Approvals(ctx); err != nil {
					t.Fatal(err)
				}
			}
			if list[0].Title == list[1].Title || !strings.HasPrefix(list[0].Title, "pay {\"amount\":") || list[0].Call.ToolName != "pay" {
				t.Errorf("approvals %+v", list)
			}
			var executed atomic.Int32
			yes := gateway.Decision{
				RunID: list[0].Call.RunID, CallID: list[0].Call.CallID, InputHash: list[0].InputHash, By: "ann",
				Execute: func(_ context.Context, call *gateway.Call) (any, error) { executed.Add(1); return "paid", nil },
			}
			wrong := yes
			wrong.InputHash = list[1].InputHash
			if err := other.Settle(ctx, wrong); !errors.Is(err, gateway.ErrStale) {
				t.Errorf("a decision about another input: %v", err)
			}
			wrong.CallID = list[1].Call.CallID + "0"
			if err := other.Settle(ctx, wrong); !errors.Is(err, gateway.ErrNoApproval) {
				t.Errorf("a decision about no call: %v", err)
			}
			errs := make(chan error, 4)
			for range cap(errs) {
				go func() { errs <- other.Settle(ctx, yes) }()
			}
			refused := 0
			for range cap(errs) {
				if err := <-errs; errors.Is(err, gateway.ErrDecided) {
					refused++
				} else if err != nil {
					t.Error(err)
				}
			}
			if refused != 3 || executed.Load() != 1 {
				t.Errorf("of 4 decisions %d were refused, executed %d times", refused, executed.Load())
			}
			no := gateway.Decision{RunID: list[1].Call.RunID, CallID: list[1].Call.CallID, InputHash: list[1].InputHash, Reason: "too much"}
			if err := other.Settle(ctx, no); err != nil {
				t.Error(err)
			}
			if err := other.Settle(ctx, no); !errors.Is(err, gateway.ErrDecided) && !errors.Is(err, gateway.ErrStale) {
				t.Errorf("a second denial: %v", err)
			}
			got := map[string]bool{}
			for range 2 {
				e := <-ends
				if e.err != nil {
					t.Fatal(e.err)
				}
				got[string(e.out.Result.Value)] = true
			}
			if !got[`"paid"`] || !got[`"Tool \"openclaw:core:pay\" was blocked before execution: too much"`] {
				t.Errorf("the cells gave %v", got)
			}
			if list, err := other.Approvals(ctx); err != nil || len(list) != 0 {
				t.Errorf("left over: %+v, %v", list, err)
			}
		})
	}
}

func TestDecisionAboutARunThatHasEnded(t *testing.T) {
	t.Parallel()
	ctx, r := patience(t), newRig(t).worker()
	c := r.serve(gateway.Options{}, func(context.Context, *gateway.Call) (any, error) { return nil, gateway.Pending("x") })
	job := gateway.Cell{RunID: gateway.NewRunID(), Code: `return await tools.callValue("a")`, Catalog: tools("a"), Config: []byte(`{"enabled":true,"timeoutMs":100}`)}
	if _, err := c.Exec(ctx, job); err != nil {
		t.Fatal(err)
	}
	list, err := c.Approvals(ctx)
	if err != nil || len(list) != 1 {
		t.Fatalf("%+v, %v", list, err)
	}
	if _, err := c.Abort(ctx, job.RunID); err != nil {
		t.Fatal(err)
	}
	wholeHistory(ctx, t, c, job.RunID)
	a := list[0]
	err = c.Settle(ctx, gateway.Decision{RunID: job.RunID, CallID: a.Call.CallID, InputHash: a.InputHash, Execute: echo})
	if !errors.Is(err, gateway.ErrStale) || !strings.Contains(err.Error(), "aborted") {
		t.Errorf("got %v", err)
	}
	if list, err := c.Approvals(ctx); err != nil || len(list) != 0 {
		t.Errorf("still listed: %+v, %v", list, err)
	}
}

// TestRepeatedCallWhileADecisionIsCarriedOut has the call sent again to the process that executes what was approved.
func TestRepeatedCallWhileADecisionIsCarriedOut(t *testing.T) {
	t.Parallel()
	ctx, r := patience(t), newRig(t)
	ensure(ctx, t, r.nc)
	c := r.serve(gateway.Options{Guard: once}, func(context.Context, *gateway.Call) (any, error) { return nil, gateway.Pending("x") })
	run := gateway.NewRunID()
	again := func() (callID string) {
		t.Helper()
		callID, answer, err := r.send(ctx, run, 1, "a", `{}`)
		if err != nil || len(answer) != 0 {
			t.Fatalf("answer %q, %v", answer, err)
		}
		return callID
	}
	callID := again()
	list, err := c.Approvals(ctx)
	if err != nil || len(list) != 1 {
		t.Fatalf("%+v, %v", list, err)
	}
	again()
	err = c.Settle(ctx, gateway.Decision{RunID: run, CallID: callID, InputHash: list[0].InputHash, Execute: func(context.Context, *gateway.Call) (any, error) {
		again()
		return "paid", nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	if got := r.result(ctx, run, callID); !strings.Contains(string(got), `"paid"`) {
		t.Errorf("result %s", got)
	}
}

func TestApprovalWithoutALedger(t *testing.T) {
	t.Parallel()
	ctx, url := patience(t), natstest.Server(t)
	r := (&rig{t: t, url: url, nc: natstest.Connect(t, url)}).worker()
	c := r.serve(gateway.Options{}, func(context.Context, *gateway.Call) (any, error) { return nil, gateway.Pending("x") })
	reply, err := c.Exec(ctx, cell(`return await tools.callValue("a").catch(e => e.message)`, "a"))
	if err != nil {
		t.Fatal(err)
	}
	wantValue(t, reply.Result, `"approval could not be asked for."`)
}
