package tour

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"time"

	"codemode/protocol"
	"codemode/subjects"
	"codemode/vm/engine"
	"codemode/vm/wasm"
)

func (t *tour) stepPark(ctx context.Context) error {
	t.say("A person is asked, and does not answer yet. After the cell's time limit, here 2 s,")
	t.say("its VM is stored in NATS and the model is told to wait.\n")
	run := t.gateway.NewRun(scope("parked"))
	r, err := t.exec(ctx, run, parkCell)
	if err != nil {
		return err
	}
	res := r.Result
	if res.Status != protocol.StatusWaiting || res.Reason != protocol.ReasonPendingTools || res.RunID != run.ID() {
		return fmt.Errorf("status is %s, reason %q, run %q, want waiting for pending_tools (%s)", res.Status, res.Reason, res.RunID, res.Error)
	}
	if len(res.Pending) != 1 || res.Pending[0].Method != protocol.MethodCallValue || res.Pending[0].ToolID != "openclaw:core:ask_person" {
		return fmt.Errorf("pending calls are %v, want the one of ask_person", res.Pending)
	}
	ticket, err := ticketIn(res)
	if err != nil {
		return err
	}
	t.parked = parkedRun{run: run, worker: r.Worker, ticket: ticket, at: time.Now(), dirty: res.Telemetry.SnapshotBytes}
	if t.parked.stored, err = t.storedBytes(ctx, run.ID()); err != nil {
		return err
	}
	t.figure("parked by", "%s, process %d", r.Worker, t.workers[r.Worker].PID)
	t.figure("pending", "%s, call id %s", res.Pending[0].ToolID, res.Pending[0].CallID)
	t.figure("time limit, reply after", "%d ms, %s", parkTimeoutMs, ms(r.took))
	return nil
}

var ticketText = regexp.MustCompile(`ticket ([0-9a-z]+):`)

// ticketIn finds the random text that the cell put out.
func ticketIn(res protocol.Result) (string, error) {
	for _, raw := range res.Output {
		var item struct{ Text string }
		if json.Unmarshal(raw, &item) == nil {
			if m := ticketText.FindStringSubmatch(item.Text); m != nil {
				return m[1], nil
			}
		}
	}
	return "", errors.New("the cell's output has no ticket")
}

// storedBytes gives the size of the run's record as it lies in the stream, without the stream's own framing.
func (t *tour) storedBytes(ctx context.Context, runID string) (int, error) {
	ctx, cancel := limited(ctx)
	defer cancel()
	stream, err := t.gateway.JetStream().Stream(ctx, subjects.BucketStream(subjects.BucketSnapshots))
	if err != nil {
		return 0, fmt.Errorf("read bucket of suspended runs: %w", err)
	}
	key := subjects.Names{}.SnapshotKey(tenant, runID)
	msg, err := stream.GetLastMsgForSubject(ctx, subjects.KeySubject(subjects.BucketSnapshots, key))
	if err != nil {
		return 0, fmt.Errorf("read record of the suspended run: %w", err)
	}
	return len(msg.Data), nil
}

func (t *tour) stepKill(ctx context.Context) error {
	w := t.workers[t.parked.worker]
	if err := w.Kill(); err != nil {
		return err
	}
	t.say(fmt.Sprintf("kill -9 %d: no time to hand anything over.", w.PID))
	t.say("Then the person answers. The gateway stores the result; no worker has the cell.\n")
	stored, err := t.answerQuestion(ctx)
	if err != nil {
		return err
	}
	t.figure(w.ID, "%s", w.Exit())
	t.figure("result stored", "%s", stored)
	return nil
}

// answerQuestion lets the person answer and returns the result once the server tells that it is stored.
func (t *tour) answerQuestion(ctx context.Context) (string, error) {
	nc := t.gateway.Conn()
	sub, err := nc.SubscribeSync(subjects.Names{}.Live(tenant, t.parked.run.ID(), subjects.Any))
	if err != nil {
		return "", fmt.Errorf("listen for the result: %w", err)
	}
	ctx, cancel := limited(ctx)
	defer cancel()
	if err := nc.FlushWithContext(ctx); err != nil {
		return "", fmt.Errorf("listen for the result: %w", err)
	}
	t.desk.answer()
	msg, err := sub.NextMsgWithContext(ctx)
	if err != nil {
		return "", fmt.Errorf("the result of the question was not stored: %w", err)
	}
	var result protocol.CallResult
	if err := json.Unmarshal(msg.Data, &result); err != nil || !result.OK {
		return "", fmt.Errorf("the stored result is no good one: %q", msg.Data)
	}
	return string(result.Value), sub.Unsubscribe()
}

func (t *tour) stepResume(ctx context.Context) error {
	t.say("The model calls wait with the run id.\n")
	ctx, cancel := limited(ctx)
	defer cancel()
	idle := time.Since(t.parked.at)
	run := t.parked.run
	defer run.Close()
	r, err := t.receive(run.Wait(ctx))
	if err != nil {
		return err
	}
	if err := t.result(r.Result); err != nil {
		return err
	}
	want := map[string]any{"ticket": t.parked.ticket, "euro": 42.0, "approved": true, "by": "Ada"}
	if err := wantValue(r.Result, want); err != nil {
		return err
	}
	if r.Worker == t.parked.worker {
		return fmt.Errorf("the reply is by %s, which was killed", r.Worker)
	}
	calls := run.Calls()
	if n := calls.ByTool["open_orders"]; n != 1 || calls.Repeats != 0 {
		return fmt.Errorf("open_orders was called %d times, %d calls were repeated, want one and none", n, calls.Repeats)
	}
	t.figure("resumed by", "%s, process %d", r.Worker, t.workers[r.Worker].PID)
	t.figure("wait to reply", "%s", ms(r.took))
	t.figure("parked for", "%s, with no process", ms(idle))
	t.figure("same state", "ticket %s was made before the cell was parked", t.parked.ticket)
	t.figure("calls made twice", "none, over %d legs", r.Result.Telemetry.Legs)
	return nil
}

func (t *tour) stepBytes(context.Context) error {
	image, err := engineBytes()
	if err != nil {
		return err
	}
	dirty, stored := t.parked.dirty, t.parked.stored
	if dirty <= 0 || dirty >= image || stored <= 0 || stored >= dirty {
		return fmt.Errorf("record %d, state %d, engine %d bytes: want each smaller than the next", stored, dirty, image)
	}
	t.say("Only what differs from the engine as it starts is kept, compressed, with the source, the")
	t.say("pending calls and all else that a worker needs to go on.\n")
	t.figure("record in NATS", "%s bytes", count(stored))
	t.figure("VM state, uncompressed", "%s bytes (telemetry.snapshotBytes)", count(dirty))
	t.figure("the engine's memory", "%s bytes before any cell, %d times the record", count(image), image/stored)
	return nil
}

// engineBytes is the memory that the engine starts with.
func engineBytes() (int, error) {
	module, err := engine.Module()
	if err != nil {
		return 0, err
	}
	const wasmPage = 64 << 10
	mod, err := wasm.Rewrite(module, wasm.Options{InterruptModule: "env", InterruptName: "host_interrupt", FuelExport: "fuel"})
	if err != nil {
		return 0, fmt.Errorf("read engine: %w", err)
	}
	return int(mod.Pages) * wasmPage, nil
}
