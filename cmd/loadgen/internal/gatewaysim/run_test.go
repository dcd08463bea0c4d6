package gatewaysim_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"codemode/cmd/loadgen/internal/gatewaysim"
	"codemode/protocol"
)

func TestExecAndWait(t *testing.T) {
	t.Parallel()
	ctx, p := patience(t), newPool(t)
	g := p.gateway(p.url, quick("echo", nil))
	scope := protocol.Scope{SessionID: "s-1", AgentRunID: "r-1"}
	run := g.NewRun(scope)
	defer run.Close()
	if other := g.NewRun(scope); !protocol.ValidRunID(run.ID()) || other.ID() == run.ID() {
		t.Errorf("run ids %s and %s are no run tokens, or the same", run.ID(), other.ID())
	}

	got := later(func() (gatewaysim.Answer, error) {
		return run.Exec(ctx, gatewaysim.Cell{Code: "return 7", Config: json.RawMessage(`{"enabled":true}`)})
	})
	msg, job := p.job(ctx)
	if want := "cm.job.exec." + tenant; msg.Subject != want {
		t.Errorf("job on %s, want %s", msg.Subject, want)
	}
	if got, want := msg.Header.Get("Nats-Msg-Id"), tenant+"."+run.ID()+"."+job.JobID; got != want {
		t.Errorf("message id %q, want %q", got, want)
	}
	if job.RunID != run.ID() || job.Scope != scope || string(job.Input) != `{"code":"return 7"}` || string(job.Config) != `{"enabled":true}` {
		t.Errorf("job is %+v", job)
	}
	if job.Catalog == nil || !strings.Contains(string(job.Catalog.Inline), `"name":"echo"`) {
		t.Errorf("job has no catalogue with the tool: %+v", job.Catalog)
	}
	p.reply(job, protocol.Result{Status: protocol.StatusWaiting, RunID: run.ID(), Reason: protocol.ReasonYield})
	if a := <-got; a.err != nil || a.Fetched || a.Took <= 0 {
		t.Fatalf("answer %+v, want a live one with a time", a)
	}

	got = later(func() (gatewaysim.Answer, error) { return run.Wait(ctx) })
	msg, second := p.job(ctx)
	if msg.Subject != "cm.job.wait."+tenant || second.RunID != run.ID() || second.JobID == job.JobID || second.Scope != scope {
		t.Errorf("wait job on %s is %+v", msg.Subject, second)
	}
	p.reply(second, completed)
	a := <-got
	if a.err != nil {
		t.Fatal(a.err)
	}
	if r, err := a.Reply(); err != nil || string(r.Result.Value) != "7" || r.JobID != second.JobID {
		t.Errorf("reply %+v, %v", r, err)
	}
}

func TestMissedReplyIsFetchedOnATimer(t *testing.T) {
	t.Parallel()
	ctx, p := patience(t), newPool(t)
	run := p.gateway(p.url).NewRun(protocol.Scope{})
	got := later(func() (gatewaysim.Answer, error) { return run.Exec(ctx, gatewaysim.Cell{Code: "return 7"}) })
	_, job := p.job(ctx)
	run.Close() // from here on the gateway does not know whose the live reply is
	p.reply(job, completed)
	if a := <-got; a.err != nil || !a.Fetched {
		t.Errorf("answer %+v, want one that was fetched", a)
	}
}

func TestMissedReplyIsFetchedAfterAReconnect(t *testing.T) {
	t.Parallel()
	ctx, p := patience(t), newPool(t)
	wire := newLink(t, strings.TrimPrefix(p.url, "nats://"))
	run := p.gateway("nats://" + wire.listener.Addr().String()).NewRun(protocol.Scope{})
	defer run.Close()
	got := later(func() (gatewaysim.Answer, error) { return run.Exec(ctx, gatewaysim.Cell{Code: "return 7"}) })
	_, job := p.job(ctx)
	wire.set(true)
	p.reply(job, completed)
	wire.set(false)
	if a := <-got; a.err != nil || !a.Fetched {
		t.Errorf("answer %+v, want one that was fetched", a)
	}
}

func TestOnlyTheFirstCopyOfAReplyCounts(t *testing.T) {
	t.Parallel()
	ctx, p := patience(t), newPool(t)
	run := p.gateway(p.url).NewRun(protocol.Scope{})
	defer run.Close()
	got := later(func() (gatewaysim.Answer, error) { return run.Exec(ctx, gatewaysim.Cell{Code: "return 7"}) })
	_, job := p.job(ctx)
	subject := names.Reply(tenant, job.RunID, job.JobID)
	for _, copied := range []string{"", "", "second"} { // an empty one must not be taken for none
		if err := p.nc.Publish(subject, []byte(copied)); err != nil {
			t.Fatal(err)
		}
	}
	a := <-got
	if a.err != nil || len(a.Raw) != 0 {
		t.Errorf("answer %q, %v, want the first, empty one", a.Raw, a.err)
	}
	if _, err := a.Reply(); err == nil {
		t.Error("an empty reply was read")
	}
}

func TestWaitingEndsWithItsCause(t *testing.T) {
	t.Parallel()
	p := newPool(t)
	run := p.gateway(p.url).NewRun(protocol.Scope{})
	defer run.Close()
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(patience(t))
	got := later(func() (gatewaysim.Answer, error) { return run.Exec(ctx, gatewaysim.Cell{Code: "return 7"}) })
	p.job(ctx)
	cancel(cause)
	if a := <-got; !errors.Is(a.err, cause) {
		t.Errorf("error %v, want %v", a.err, cause)
	}
}

func TestConnectErrorNamesTheServerWithoutItsPassword(t *testing.T) {
	t.Parallel()
	_, err := gatewaysim.Start(t.Context(), gatewaysim.Options{URL: "nats://user:secret@127.0.0.1:1,user:secret@127.0.0.1:2"})
	if !errors.Is(err, gatewaysim.ErrConnect) || strings.Contains(err.Error(), "secret") || !strings.Contains(err.Error(), "nats://127.0.0.1:1,127.0.0.1:2") {
		t.Errorf("error %v", err)
	}
}

// BenchmarkExec has a worker that does nothing, so that it measures the job path and the gateway.
func BenchmarkExec(b *testing.B) {
	p := newPool(b)
	g := p.gateway(p.url)
	done := make(chan struct{})
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			select {
			case msg := <-p.jobs:
				job, err := protocol.DecodeJob(protocol.JobExec, msg.Data)
				if err != nil {
					b.Error(err)
				}
				reply, err := protocol.Marshal(protocol.Reply{V: 1, Tenant: tenant, RunID: job.RunID, JobID: job.JobID, Result: completed})
				if err != nil {
					b.Error(err)
				}
				if err := p.nc.Publish(names.Reply(tenant, job.RunID, job.JobID), reply); err != nil {
					b.Error(err)
				}
			case <-done:
				return
			}
		}
	}()
	b.SetParallelism(16)
	b.ResetTimer()
	began := time.Now()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			run := g.NewRun(protocol.Scope{SessionID: "s"})
			if _, err := run.Exec(context.Background(), gatewaysim.Cell{Code: "return 1 + 1"}); err != nil {
				b.Error(err)
			}
			run.Close()
		}
	})
	b.ReportMetric(float64(b.N)/time.Since(began).Seconds(), "cells/s")
	close(done)
	<-stopped
}
