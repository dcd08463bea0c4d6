package worker_test

import (
	"encoding/json"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"codemode/internal/natstest"
	"codemode/protocol"
	"codemode/subjects"
	"codemode/worker"
)

// TestResumeOnAnotherWorker: a run that one worker parked is resumed by another after the first is cut off.
func TestResumeOnAnotherWorker(t *testing.T) {
	t.Parallel()
	url := natstest.Server(t)
	first := natstest.Connect(t, url, nats.CustomInboxPrefix("_INBOX.first"))
	startWorker(t, url, func(o *worker.Options) { o.ID, o.Conn = "first", first })
	calls := make(chan protocol.Call, 4)
	g := newGateway(t, url, func(c protocol.Call) []byte { calls <- c; return []byte{} })
	r := g.exec(`const seen = [1]; const v = await tools.a({ n: 1 }); seen.push(v); text('after'); return seen`,
		map[string]any{"catalog": oneTool, "config": map[string]any{"enabled": true, "timeoutMs": 300}})
	if r.Result.Status != protocol.StatusWaiting || r.Worker != "first" || len(r.Result.Pending) != 1 {
		t.Fatalf("got %+v from %s, want waiting from first", r.Result, r.Worker)
	}
	first.Close()
	startWorker(t, url, func(o *worker.Options) { o.ID = "second" })
	call := <-calls
	if err := g.storeResult(r.RunID, call.CallID, okResult(call.CallID, 2)); err != nil {
		t.Fatal(err)
	}
	done := g.wait(r.RunID)
	mustComplete(t, done, "[1,2]")
	if done.Worker != "second" || len(done.Result.Output) != 1 || done.Result.Telemetry.Legs != 2 {
		t.Errorf("got worker %s, output %s, legs %d; want second, one item, 2", done.Worker, done.Result.Output, done.Result.Telemetry.Legs)
	}
}

// TestLostExecIsRunAgain: the job of a worker that is lost while its cell waits is executed again with the
// results that are stored; a call with a stored result is not sent again (contract 12.5).
func TestLostExecIsRunAgain(t *testing.T) {
	t.Parallel()
	url := natstest.Server(t)
	short := func(o *worker.Options) { o.Subjects.AckWait = time.Second }
	first := natstest.Connect(t, url, nats.CustomInboxPrefix("_INBOX.first"))
	startWorker(t, url, func(o *worker.Options) { short(o); o.ID, o.Conn = "first", first })
	var sent [3]atomic.Int32
	second := make(chan struct{})
	g := newGateway(t, url, func(c protocol.Call) []byte {
		var in struct{ N int }
		if err := json.Unmarshal(c.Input, &in); err != nil {
			t.Error(err)
		}
		if sent[in.N].Add(1); in.N == 2 && c.Attempt == 1 {
			close(second)
			return nil // the worker is lost before this is answered
		}
		return okResult(c.CallID, in.N)
	})
	key := g.startExec(`const a = await tools.a({ n: 1 }); const b = await tools.a({ n: 2 }); return [a, b, Math.random(), Date.now()]`,
		map[string]any{"catalog": oneTool})
	<-second
	first.Close()
	startWorker(t, url, func(o *worker.Options) { short(o); o.ID = "second" })
	r := g.reply(key)
	if r.Result.Status != protocol.StatusCompleted || r.Worker != "second" || r.Attempt != 2 {
		t.Fatalf("got %s %q from %s in attempt %d", r.Result.Status, r.Result.Error, r.Worker, r.Attempt)
	}
	if sent[1].Load() != 1 || sent[2].Load() != 2 {
		t.Errorf("calls were sent %d and %d times, want 1 and 2", sent[1].Load(), sent[2].Load())
	}
	if n, err := g.storedReplies(r.RunID); n != 1 || err != nil {
		t.Errorf("%d replies are stored (%v), want 1", n, err)
	}
}

// TestLostWaitIsRunAgain: a wait whose worker is lost is done again from the stored record; calls that the
// lost leg made and got answered are not sent again (contract 11.3, 12.5).
func TestLostWaitIsRunAgain(t *testing.T) {
	t.Parallel()
	url := natstest.Server(t)
	short := func(o *worker.Options) { o.Subjects.AckWait = time.Second }
	first := natstest.Connect(t, url, nats.CustomInboxPrefix("_INBOX.first"))
	startWorker(t, url, func(o *worker.Options) { short(o); o.ID, o.Conn = "first", first })
	var sent [4]atomic.Int32
	stuck := make(chan struct{})
	g := newGateway(t, url, func(c protocol.Call) []byte {
		var in struct{ N int }
		if err := json.Unmarshal(c.Input, &in); err != nil {
			t.Error(err)
		}
		if sent[in.N].Add(1); in.N == 3 && c.Attempt == 1 {
			close(stuck)
			return nil // the worker is lost before this is answered
		}
		return okResult(c.CallID, in.N)
	})
	r := g.exec(`const out = []; await yield_control(); for (const n of [1, 2, 3]) out.push(await tools.a({ n })); return out`, map[string]any{"catalog": oneTool})
	if r.Result.Status != protocol.StatusWaiting {
		t.Fatalf("got %+v", r.Result)
	}
	key := g.send(protocol.JobWait, map[string]any{"runId": r.RunID, "scope": map[string]any{"sessionId": "s1"}})
	<-stuck
	first.Close()
	startWorker(t, url, func(o *worker.Options) { short(o); o.ID = "second" })
	done := g.reply(key)
	mustComplete(t, done, "[1,2,3]")
	if done.Worker != "second" || sent[1].Load() != 1 || sent[2].Load() != 1 || sent[3].Load() != 2 {
		t.Errorf("answered by %s after %d, %d and %d sends; want second, 1, 1, 2", done.Worker, sent[1].Load(), sent[2].Load(), sent[3].Load())
	}
}

// TestAttemptsExhausted: a job that was delivered more than three times is answered and gone.
func TestAttemptsExhausted(t *testing.T) {
	t.Parallel()
	url := natstest.Server(t)
	g := newGateway(t, url, nil)
	js := g.js
	if err := subjects.Ensure(t.Context(), js, subjects.Options{AckWait: time.Second}); err != nil {
		t.Fatal(err)
	}
	key := g.startExec(`return 1`, nil)
	cons, err := js.Consumer(t.Context(), subjects.StreamJobs, subjects.ConsumerExec)
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		msg, err := cons.Next(jetstream.FetchMaxWait(10 * time.Second))
		if err != nil {
			t.Fatal(err)
		}
		if err := msg.Nak(); err != nil {
			t.Fatal(err)
		}
	}
	startWorker(t, url, func(o *worker.Options) { o.Subjects.AckWait = time.Second })
	mustFail(t, g.reply(key), protocol.DetailAttemptsExhausted, "code mode job attempts exhausted.")
}

// TestDivergedReplay: a stored result with the method and number of a call but another hash ends the run
// (contract 12.5).
func TestDivergedReplay(t *testing.T) {
	t.Parallel()
	url := natstest.Server(t)
	short := func(o *worker.Options) { o.Subjects.AckWait = time.Second }
	first := natstest.Connect(t, url, nats.CustomInboxPrefix("_INBOX.first"))
	startWorker(t, url, func(o *worker.Options) { short(o); o.Conn = first })
	calls := make(chan protocol.Call, 2)
	g := newGateway(t, url, func(c protocol.Call) []byte { calls <- c; return nil })
	key := g.startExec(`return await tools.a({ n: 1 })`, map[string]any{"catalog": oneTool})
	c := <-calls
	if err := g.storeResult(c.RunID, "callValue-1-00000000", okResult("callValue-1-00000000", 1)); err != nil {
		t.Fatal(err)
	}
	first.Close()
	startWorker(t, url, short)
	r := g.reply(key)
	mustFail(t, r, protocol.DetailReplayDiverged, "code mode replay diverged from the recorded run.")
}

// TestDrainHandsBack: a worker that stops while a cell waits hands its job to another one.
func TestDrainHandsBack(t *testing.T) {
	t.Parallel()
	url := natstest.Server(t)
	first := startWorker(t, url, func(o *worker.Options) { o.ID = "first" })
	calls := make(chan protocol.Call, 4)
	g := newGateway(t, url, func(c protocol.Call) []byte { calls <- c; return []byte{} })
	key := g.startExec(`return await tools.a()`, map[string]any{"catalog": oneTool})
	call := <-calls
	if err := first.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	startWorker(t, url, func(o *worker.Options) { o.ID = "second" })
	if again := <-calls; again.CallID != call.CallID || again.Attempt != 2 {
		t.Errorf("got call %s in attempt %d, want %s in 2", again.CallID, again.Attempt, call.CallID)
	}
	if err := g.storeResult(call.RunID, call.CallID, okResult(call.CallID, "x")); err != nil {
		t.Fatal(err)
	}
	r := g.reply(key)
	mustComplete(t, r, `"x"`)
	if r.Worker != "second" {
		t.Errorf("got the reply from %s", r.Worker)
	}
}

// TestEndlessNativeLoop: a loop inside the engine ends at its deadline while other cells go on.
func TestEndlessNativeLoop(t *testing.T) {
	t.Parallel()
	url := natstest.Server(t)
	startWorker(t, url, nil)
	g := newGateway(t, url, nil)
	loop := g.startExec(`return Array.prototype.includes.call({ length: 2 ** 53 - 1 }, 1)`, map[string]any{"config": map[string]any{"enabled": true, "timeoutMs": 500}})
	mustComplete(t, g.exec("return 1 + 1", nil), "2")
	mustFail(t, g.reply(loop), protocol.DetailTimeout, "code mode timeout exceeded")
}
