package main_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// gateway is one written by the text of the protocol alone, with plain NATS and JSON.
type gateway struct {
	t       *testing.T
	nc      *nats.Conn
	js      jetstream.JetStream
	calls   chan *nats.Msg
	replies chan *nats.Msg
	events  chan *nats.Msg
}

func newGateway(t *testing.T, url string) *gateway {
	t.Helper()
	nc, err := nats.Connect(url, nats.MaxReconnects(-1))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	g := &gateway{t: t, nc: nc}
	if g.js, err = jetstream.New(nc); err != nil {
		t.Fatal(err)
	}
	for subject, ch := range map[string]*chan *nats.Msg{
		"cm.run.default.*.call.*": &g.calls, "cm.run.default.*.reply.*": &g.replies, "cm.event.default.*.*": &g.events,
	} {
		*ch = make(chan *nats.Msg, 256)
		if _, err := nc.ChanSubscribe(subject, *ch); err != nil {
			t.Fatal(err)
		}
	}
	if err := nc.Flush(); err != nil {
		t.Fatal(err)
	}
	return g
}

var runs atomic.Int64

func newRun() string { return fmt.Sprintf("cm_%016d", runs.Add(1)) }

const scope = `{"sessionId":"s1","agentRunId":"a1"}`

// exec publishes an exec job. The catalogue has one tool, "slow".
func (g *gateway) exec(runID, code string, timeout time.Duration) {
	g.t.Helper()
	input, err := json.Marshal(map[string]string{"code": code})
	if err != nil {
		g.t.Fatal(err)
	}
	g.publish("cm.job.exec.default", "default."+runID+".j1", fmt.Sprintf(
		`{"v":1,"runId":%q,"jobId":"j1","scope":%s,"input":%s,"config":{"enabled":true,"timeoutMs":%d},
		  "catalog":{"inline":{"tools":[{"source":"openclaw","name":"slow","description":"Takes its time."}]}}}`,
		runID, scope, input, timeout.Milliseconds()))
}

func (g *gateway) wait(runID, jobID string) {
	g.t.Helper()
	g.publish("cm.job.wait.default", "default."+runID+"."+jobID, fmt.Sprintf(`{"v":1,"runId":%q,"jobId":%q,"scope":%s}`, runID, jobID, scope))
}

// result stores the result of a call.
func (g *gateway) result(call call, value string) {
	g.t.Helper()
	g.publish("cm.run.default."+call.RunID+".result."+call.CallID, "", fmt.Sprintf(`{"v":1,"callId":%q,"ok":true,"value":%s}`, call.CallID, value))
}

func (g *gateway) publish(subject, id, body string) {
	g.t.Helper()
	msg := nats.NewMsg(subject)
	msg.Data = []byte(body)
	if id != "" {
		msg.Header.Set("Nats-Msg-Id", id)
	}
	ctx, cancel := context.WithTimeout(g.t.Context(), patience)
	defer cancel()
	if _, err := g.js.PublishMsg(ctx, msg); err != nil {
		g.t.Fatalf("publish %s: %v", subject, err)
	}
}

type call struct {
	RunID, CallID, ToolName string
	Attempt                 int
}

// accept takes the next call and tells the worker that its result follows.
func (g *gateway) accept() call {
	g.t.Helper()
	msg := g.next(g.calls, "call")
	var c call
	if err := json.Unmarshal(msg.Data, &c); err != nil {
		g.t.Fatal(err)
	}
	if err := msg.Respond(nil); err != nil {
		g.t.Fatal(err)
	}
	return c
}

type reply struct {
	JobID, Worker string
	Attempt       int
	Result        struct {
		Status, Error, Detail string
		Value                 json.RawMessage
	}
}

func (g *gateway) reply() reply {
	g.t.Helper()
	var r reply
	if err := json.Unmarshal(g.next(g.replies, "reply").Data, &r); err != nil {
		g.t.Fatal(err)
	}
	return r
}

// event waits for an event of the kind.
func (g *gateway) event(runID, kind string) {
	g.t.Helper()
	for subject := ""; subject != "cm.event.default."+runID+"."+kind; {
		subject = g.next(g.events, kind).Subject
	}
}

func (g *gateway) next(from chan *nats.Msg, what string) *nats.Msg {
	g.t.Helper()
	select {
	case msg := <-from:
		return msg
	case <-time.After(patience):
		g.t.Fatalf("no %s has come", what)
		return nil
	}
}

// completed checks a reply.
func (g *gateway) completed(value string) reply {
	g.t.Helper()
	r := g.reply()
	if r.Result.Status != "completed" || !bytes.Equal(r.Result.Value, []byte(value)) {
		g.t.Errorf("the reply is %s %s %s, want %s", r.Result.Status, r.Result.Value, r.Result.Error, value)
	}
	return r
}
