package gateway_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"codemode/gateway"
	"codemode/protocol"
)

func TestRunDrivesToTheEnd(t *testing.T) {
	t.Parallel()
	ctx, r := patience(t), newRig(t).worker()
	asked := make(chan func(), 1)
	c := r.serve(gateway.Options{}, func(ctx context.Context, call *gateway.Call) (any, error) {
		call.Accept()
		done := make(chan struct{})
		asked <- func() { close(done) }
		<-done
		return 5, nil
	})
	got := make(chan *gateway.Outcome, 1)
	job := cell(`text("one"); const v = await tools.callValue("a"); text("two"); await yield_control("y"); return v + 1`, "a")
	job.RunID, job.Config = gateway.NewRunID(), []byte(`{"enabled":true,"timeoutMs":100}`)
	go func() {
		out, err := c.Run(ctx, job)
		if err != nil {
			t.Error(err)
		}
		got <- out
	}()
	// It is parked, and nobody waits in a worker, before the result comes.
	for {
		s, err := c.Status(ctx, job.RunID)
		if err != nil {
			t.Fatal(err)
		}
		if s.State == protocol.StateWaiting {
			break
		}
	}
	(<-asked)()
	out := <-got
	if out == nil {
		t.FailNow()
	}
	wantValue(t, out.Result, "6")
	if len(out.Result.Output) != 2 || out.Waits != 2 {
		t.Errorf("output %s after %d waits, want two items and waits", out.Result.Output, out.Waits)
	}
}

func TestRunOfATimer(t *testing.T) {
	t.Parallel()
	ctx, r := patience(t), newRig(t).worker()
	c := r.client(gateway.Options{})
	job := cell(`await new Promise(r => setTimeout(r, 400)); return 1`)
	job.Config = []byte(`{"enabled":true,"timeoutMs":100}`)
	out, err := c.Run(ctx, job)
	if err != nil {
		t.Fatal(err)
	}
	wantValue(t, out.Result, "1")
}

func TestRunEndsWithItsContextAndIsResumed(t *testing.T) {
	t.Parallel()
	ctx, r := patience(t), newRig(t).worker()
	release := make(chan struct{})
	c := r.serve(gateway.Options{}, func(_ context.Context, call *gateway.Call) (any, error) {
		call.Accept()
		<-release
		return 9, nil
	})
	job := cell(`return await tools.callValue("a")`, "a")
	job.RunID, job.JobID, job.Config = gateway.NewRunID(), gateway.NewJobID(), []byte(`{"enabled":true,"timeoutMs":100}`)
	short, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	if _, err := c.Run(short, job); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("got %v", err)
	}
	close(release)
	reply, err := r.client(gateway.Options{}).Attach(ctx, job.RunID, job.JobID)
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.Resume(ctx, reply, job.Scope)
	if err != nil {
		t.Fatal(err)
	}
	wantValue(t, out.Result, "9")
}

func TestAwaitNewsOfAResultThatIsThere(t *testing.T) {
	t.Parallel()
	ctx, r := patience(t), newRig(t)
	ensure(ctx, t, r.nc)
	c := r.client(gateway.Options{})
	run, callID := gateway.NewRunID(), "call-1-00000000"
	pending := []protocol.PendingCall{{Method: protocol.MethodCall, CallID: callID}}
	if err := c.AwaitNews(ctx, run, pending, time.Millisecond); err != nil {
		t.Errorf("nothing new for a while is no error: %v", err)
	}
	if _, err := jetStream(t, r.nc).Publish(ctx, "cm.run."+tenant+"."+run+".result."+callID, []byte("{}")); err != nil {
		t.Fatal(err)
	}
	if err := c.AwaitNews(ctx, run, pending, time.Hour); err != nil {
		t.Error(err)
	}
	if err := c.AwaitNews(ctx, run, []protocol.PendingCall{{Method: protocol.MethodYield}}, time.Hour); err != nil {
		t.Error(err)
	}
}
