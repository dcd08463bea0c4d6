package worker_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"

	"codemode/internal/natstest"
	"codemode/protocol"
	"codemode/subjects"
)

// gateway plays the gateway for one test.
type gateway struct {
	t     testing.TB
	nc    *nats.Conn
	js    jetstream.JetStream
	names subjects.Names

	mu      sync.Mutex
	replies map[string]chan protocol.Reply
}

const tenant = "default"

// newGateway answers nested calls by answer, whose result is the inbox's answer; nil leaves a call alone.
func newGateway(t testing.TB, url string, answer func(protocol.Call) []byte) *gateway {
	t.Helper()
	g := &gateway{t: t, nc: natstest.Connect(t, url), replies: map[string]chan protocol.Reply{}}
	var err error
	if g.js, err = jetstream.New(g.nc); err != nil {
		t.Fatal(err)
	}
	if answer != nil {
		g.subscribe(g.names.CallFilter(tenant, subjects.Any), func(msg *nats.Msg) {
			var call protocol.Call
			if err := json.Unmarshal(msg.Data, &call); err != nil {
				t.Errorf("call is not JSON: %v", err)
				return
			}
			if data := answer(call); data != nil {
				if err := msg.Respond(data); err != nil {
					t.Errorf("answer %s: %v", call.CallID, err)
				}
			}
		})
	}
	g.subscribe(g.names.ReplyFilter(tenant, subjects.Any), func(msg *nats.Msg) {
		var reply protocol.Reply
		if err := json.Unmarshal(msg.Data, &reply); err != nil {
			t.Errorf("reply is not JSON: %v", err)
			return
		}
		select {
		case g.slot(reply.RunID + "/" + reply.JobID) <- reply:
		default: // a further copy
		}
	})
	return g
}

// decodeReply gives a handler that passes replies on.
func decodeReply(t testing.TB, to chan<- protocol.Reply) nats.MsgHandler {
	return func(msg *nats.Msg) {
		var reply protocol.Reply
		if err := json.Unmarshal(msg.Data, &reply); err != nil {
			t.Errorf("reply is not JSON: %v", err)
			return
		}
		to <- reply
	}
}

func (g *gateway) subscribe(subject string, handle nats.MsgHandler) {
	g.t.Helper()
	if _, err := g.nc.Subscribe(subject, handle); err != nil {
		g.t.Fatal(err)
	}
	if err := g.nc.Flush(); err != nil {
		g.t.Fatal(err)
	}
}

func (g *gateway) slot(key string) chan protocol.Reply {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.replies[key] == nil {
		g.replies[key] = make(chan protocol.Reply, 1)
	}
	return g.replies[key]
}

func newRunID() string { return "cm_" + nuid.Next() }

// publish stores a job as it is given.
func (g *gateway) publish(kind protocol.JobKind, id string, data []byte) {
	g.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if _, err := g.js.Publish(ctx, g.names.Job(kind, tenant), data, jetstream.WithMsgID(id)); err != nil {
		g.t.Fatal(err)
	}
}

// send publishes a job and gives its reply's key.
func (g *gateway) send(kind protocol.JobKind, job map[string]any) string {
	g.t.Helper()
	if job["v"] == nil {
		job["v"] = 1
	}
	if job["jobId"] == nil {
		job["jobId"] = nuid.Next()
	}
	data, err := json.Marshal(job)
	if err != nil {
		g.t.Fatal(err)
	}
	key := fmt.Sprintf("%s/%s", job["runId"], job["jobId"])
	g.publish(kind, tenant+"."+strings.ReplaceAll(key, "/", "."), data)
	return key
}

func (g *gateway) reply(key string) protocol.Reply {
	g.t.Helper()
	select {
	case r := <-g.slot(key):
		return r
	case <-time.After(40 * time.Second):
		g.t.Fatalf("no reply to %s", key)
		return protocol.Reply{}
	}
}

// exec runs a cell; more is merged into the job.
func (g *gateway) exec(code string, more map[string]any) protocol.Reply {
	g.t.Helper()
	return g.reply(g.startExec(code, more))
}

func (g *gateway) startExec(code string, more map[string]any) string {
	g.t.Helper()
	job := map[string]any{"runId": newRunID(), "scope": map[string]any{"sessionId": "s1"}, "input": map[string]any{"code": code}}
	for k, v := range more {
		job[k] = v
	}
	return g.send(protocol.JobExec, job)
}

func (g *gateway) wait(runID string) protocol.Reply {
	g.t.Helper()
	return g.reply(g.send(protocol.JobWait, map[string]any{"runId": runID, "scope": map[string]any{"sessionId": "s1"}}))
}

// storeResult publishes data as the result of a call.
func (g *gateway) storeResult(runID, callID string, data []byte) error {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	_, err := g.js.Publish(ctx, g.names.Result(tenant, runID, callID), data)
	return err
}

func okResult(callID string, value any) []byte {
	data, err := json.Marshal(map[string]any{"v": 1, "callId": callID, "ok": true, "value": value})
	if err != nil {
		panic(err)
	}
	return data
}

// oneTool is a catalogue with the tool "a".
var oneTool = map[string]any{"inline": map[string]any{"tools": []any{map[string]any{"source": "openclaw", "name": "a"}}}}

func mustComplete(t *testing.T, r protocol.Reply, value string) {
	t.Helper()
	if r.Result.Status != protocol.StatusCompleted || string(r.Result.Value) != value {
		t.Fatalf("got %s %s %q, want completed %s", r.Result.Status, r.Result.Value, r.Result.Error, value)
	}
}

func mustFail(t *testing.T, r protocol.Reply, detail protocol.Detail, text string) {
	t.Helper()
	if r.Result.Status != protocol.StatusFailed || r.Result.Detail != detail || !strings.Contains(r.Result.Error, text) {
		t.Fatalf("got %s %s %q, want failed %s %q", r.Result.Status, r.Result.Detail, r.Result.Error, detail, text)
	}
}

var errNoReply = errors.New("no reply is stored")

// storedReplies counts the replies that the stream holds for a run.
func (g *gateway) storedReplies(runID string) (int, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	stream, err := g.js.Stream(ctx, subjects.StreamRuns)
	if err != nil {
		return 0, err
	}
	info, err := stream.Info(ctx, jetstream.WithSubjectFilter(g.names.ReplyFilter(tenant, runID)))
	if err != nil {
		return 0, err
	}
	if len(info.State.Subjects) == 0 {
		return 0, errNoReply
	}
	return len(info.State.Subjects), nil
}
