package worker_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/propagation"

	"codemode/internal/natstest"
	"codemode/protocol"
	"codemode/subjects"
)

// TestTraceRunsThroughTheRun: the trace of a job's traceparent goes on through the leg, its turns and its
// nested calls to the reply. It is not parallel: it takes over the process's telemetry.
func TestTraceRunsThroughTheRun(t *testing.T) {
	spans, _ := captureTelemetry(t)
	before := otel.GetTextMapPropagator()
	otel.SetTextMapPropagator(propagation.TraceContext{})
	t.Cleanup(func() { otel.SetTextMapPropagator(before) })
	url := natstest.Server(t)
	startWorker(t, url, nil)
	g := newGateway(t, url, nil)
	const trace = "4bf92f3577b34da6a3ce929d0e0e4736"
	parents := make(chan string, 2)
	note := func(msg *nats.Msg) { parents <- msg.Header.Get("traceparent") }
	g.subscribe(g.names.CallFilter(tenant, subjects.Any), func(msg *nats.Msg) {
		note(msg)
		var call protocol.Call
		if err := json.Unmarshal(msg.Data, &call); err != nil {
			t.Error(err)
		}
		if err := msg.Respond(okResult(call.CallID, 1)); err != nil {
			t.Error(err)
		}
	})
	g.subscribe(g.names.ReplyFilter(tenant, subjects.Any), note)
	runID := newRunID()
	job, err := json.Marshal(map[string]any{"v": 1, "runId": runID, "jobId": "j", "scope": map[string]any{}, "input": map[string]any{"code": "return await tools.a()"}, "catalog": oneTool})
	if err != nil {
		t.Fatal(err)
	}
	msg := nats.NewMsg(g.names.Job(protocol.JobExec, tenant))
	msg.Data = job
	msg.Header.Set("traceparent", "00-"+trace+"-00f067aa0ba902b7-01")
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if _, err := g.js.PublishMsg(ctx, msg); err != nil {
		t.Fatal(err)
	}
	mustComplete(t, g.reply(runID+"/j"), "1")
	for _, what := range []string{"call", "reply"} {
		if parent := <-parents; !strings.HasPrefix(parent, "00-"+trace+"-") || strings.Contains(parent, "00f067aa0ba902b7") {
			t.Errorf("%s has traceparent %q, want another span of trace %s", what, parent, trace)
		}
	}
	for {
		var names []string
		for _, span := range spans.GetSpans() {
			if span.SpanContext.TraceID().String() == trace {
				names = append(names, span.Name)
			}
		}
		slices.Sort(names)
		if slices.Equal(names, []string{"call", "exec", "turn", "turn"}) {
			return
		}
		select {
		case <-ctx.Done():
			t.Fatalf("the trace has the spans %v, want call, exec and two turns", names)
		case <-time.After(5 * time.Millisecond): // the leg's span ends after its reply
		}
	}
}
