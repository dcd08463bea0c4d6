package worker_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"codemode/internal/natstest"
	"codemode/protocol"
	"codemode/subjects"
	"codemode/worker"
)

// planted is in every secret of the test, and in nothing else.
const planted = "s3cr3t"

// secretTools is a catalogue that is full of secrets, but for ids and names.
var secretTools = json.RawMessage(strings.ReplaceAll(`{"tools":[
	{"source":"openclaw","name":"a","label":"SECRET","description":"SECRET","parameters":{"type":"object","properties":{"SECRET":{"default":"SECRET"}}}},
	{"source":"openclaw","name":"wrong","description":"SECRET","outputSchema":{"const":"SECRET"}},
	{"source":"openclaw","name":"torn","outputSchema":{"type":"SECRET","pattern":"(SECRET"}},
	{"source":"openclaw","name":"fail"},{"source":"openclaw","name":"bad"},{"source":"openclaw","name":"big"},{"source":"openclaw","name":"sessions_spawn"},
	{"source":"openclaw","owner":"p","name":"b"},
	{"source":"mcp","name":"m__t","description":"SECRET","mcp":{"serverName":"m","toolName":"t"},"parameters":{"properties":{"x":{"default":"SECRET"}}}}],
	"namespaces":[{"id":"n","pluginId":"p","globalName":"N","description":"SECRET","prompt":"SECRET","requiredToolNames":["b"],
	 "scope":{"kind":"object","entries":[["f",{"kind":"function","toolName":"b"}],["v",{"kind":"value","value":"SECRET"}]]}}]}`, "SECRET", planted+"-catalog"))

func secretAnswer(c protocol.Call) []byte {
	answer := func(body string) []byte { return []byte(`{"v":1,"callId":"` + c.CallID + `",` + body + `}`) }
	switch {
	case c.Method == protocol.MethodAgentWait:
		return okResult(c.CallID, map[string]any{"runId": "child", "status": "done", "result": planted + "-child"})
	case c.Method == protocol.MethodAgentSpawn:
		return okResult(c.CallID, map[string]any{"status": "accepted", "runId": "child"})
	case c.ToolName == "fail":
		return answer(`"ok":false,"error":{"message":"` + planted + `-error"}`)
	case c.ToolName == "bad":
		return []byte(`{"v":"` + planted + `-malformed","callId":"` + planted + `"}`)
	case c.ToolName == "big":
		return okResult(c.CallID, strings.Repeat(planted, 1<<20))
	}
	return answer(`"ok":true,"result":{"content":["` + planted + `-content"],"details":{"secret":"` + planted + `-result"}}`)
}

// secretCells touch everything that handles what must not be told.
var secretCells = []string{
	`const s = "SECRET"; const r = [await tools.a({ token: s }), await tools.call("a", { [s]: 1 }), await MCP.m.t({ token: s }), await N.f({ token: s }), await agents.run(s, { schema: { title: s } }).catch((e) => e.message)];
	 await tools.search(s); await tools.describe(s).catch(() => 0); await API.read(s).catch(() => 0); await MCP.m.$api(s, { schema: true });
	 const got = await yield_control(s); await new Promise((done) => setTimeout(done, 1)); return [r, got, ALL_TOOLS]`,
	`return await tools.fail({ token: "SECRET" })`,
	`throw new Error("SECRET")`,
	`return [await tools.wrong({ token: "SECRET" }).catch((e) => e.message), await tools.torn().catch((e) => e.message), await tools.bad().catch((e) => e.message), await tools.big().catch((e) => e.message)]`,
	`const SECRET = ;`,
	`echo SECRET`,
	`require("SECRET")`,
	`return eval("import('SECRET')")`,
	`const a = "SECRET"; for (;;);`,
	`text("SECRET".repeat(1e4))`,
	`return process.env`,
}

// TestNothingSecretIsTold plants secrets in cells, inputs, results, catalogues, the environment and opaque
// identities, and looks for them in every event, log line, span and metric (contract 16.2, protocol 6).
// It is not parallel: it changes the environment and takes over the process's telemetry.
func TestNothingSecretIsTold(t *testing.T) {
	t.Setenv("CODEMODE_TEST_TOKEN", planted+"-environment")
	log := &lockedBuffer{}
	spans, metrics := captureTelemetry(t)
	url := natstest.Server(t)
	startWorker(t, url, func(o *worker.Options) {
		o.NoOutputEvents = true
		o.Logger = slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))
		o.Diagnostics = worker.Diagnostics{Legs: true, Transport: true, Payload: worker.PayloadTools, Events: worker.EventsAll}
	})
	g := newGateway(t, url, secretAnswer)
	playSecrets(t, g)

	events := storedEvents(t, g)
	if n := bytes.Count(events, []byte(`"kind":"settled"`)); n < 8 {
		t.Errorf("only %d calls were settled", n)
	}
	noSecret(t, "events", events)
	noSecret(t, "log", log.bytes())
	noSecret(t, "spans", []byte(spansText(spans)))
	var collected metricdata.ResourceMetrics
	if err := metrics.Collect(context.Background(), &collected); err != nil {
		t.Fatal(err)
	}
	noSecret(t, "metrics", fmt.Append(nil, collected))
	for what, text := range map[string]string{"log": string(log.bytes()), "spans": spansText(spans), "metrics": fmt.Sprint(collected)} {
		for _, want := range map[string][]string{
			"log": {"leg ended", "call sent", "malformed answer"}, "spans": {"turn", "call", "codemode.tool_id"}, "metrics": {"codemode.jobs", "codemode.calls", "codemode.searches"},
		}[what] {
			if !strings.Contains(text, want) {
				t.Errorf("%s: nothing about %q was captured", what, want)
			}
		}
	}
}

// TestOutputEventsAreTheException: what a cell puts out is in output events and in no others.
func TestOutputEventsAreTheException(t *testing.T) {
	t.Parallel()
	url := natstest.Server(t)
	startWorker(t, url, nil)
	g := newGateway(t, url, secretAnswer)
	mustComplete(t, g.exec(`text("`+planted+`"); json({ a: 1 }); return 1`, nil), "1")
	items := 0
	for _, e := range bytes.Split(bytes.TrimSpace(storedEvents(t, g)), []byte("\n")) {
		if bytes.Contains(e, []byte(`"kind":"output"`)) {
			items++
		} else {
			noSecret(t, "event", e)
		}
	}
	if items != 2 {
		t.Errorf("got %d output events, want 2", items)
	}
}

func playSecrets(t *testing.T, g *gateway) {
	t.Helper()
	scope := map[string]any{"sessionId": "s1", "sessionKey": "k1", "agentRunId": "r1", "sender": planted + "-sender", "channel": planted + "-channel"}
	for _, lang := range []string{"javascript", "typescript"} {
		for _, code := range secretCells {
			r := g.exec(code, map[string]any{
				"scope": scope, "swarm": true, "catalog": map[string]any{"inline": secretTools}, "config": map[string]any{"enabled": true, "timeoutMs": 1000},
				"input": map[string]any{"code": strings.ReplaceAll(code, "SECRET", planted+"_input"), "language": lang},
			})
			for r.Result.Status == protocol.StatusWaiting {
				r = g.reply(g.send(protocol.JobWait, map[string]any{"runId": r.RunID, "scope": scope}))
			}
			if strings.Contains(string(r.Result.Value), planted+"-environment") {
				t.Error("a cell read the environment")
			}
		}
	}
	for i, bad := range []string{
		`{"v":1,"runId":"%s","jobId":"j","scope":{"sender":5},"input":{"code":"` + planted + `"}}`,
		`{"v":1,"runId":"%s","jobId":"j","scope":{},"startBy":"` + planted + `"}`,
		`{"v":"` + planted + `","runId":"%s","jobId":"j","scope":{}}`,
		`{"v":1,"runId":"%s","jobId":"j","scope":{},"input":{"code":"x"},"catalog":{"inline":{"tools":[{"source":"` + planted + `"}]}}}`,
		`{"v":1,"runId":"%s","jobId":"j","scope":{},"input":{"code":"x"},"catalog":{"ref":"` + planted + `"}}`,
		`{"v":1,"runId":"%s","jobId":"j","scope":{},"input":{"code":"x"},"namespaces":[{"id":"` + planted + `"}]}`,
	} {
		runID := newRunID()
		g.publish(protocol.JobExec, fmt.Sprintf("bad-%d", i), fmt.Appendf(nil, bad, runID))
		if r := g.reply(runID + "/j"); r.Result.Status != protocol.StatusFailed {
			t.Errorf("bad job %d: got %s", i, r.Result.Status)
		}
	}
	g.publish(protocol.JobExec, "dropped", []byte(`{"v":1,"runId":"cm_aaaaaaaaaaaaaaaa","jobId":"`+planted+`.","input":{"code":"`+planted+`"},"startBy":"`+planted+`"}`))
	mustComplete(t, g.exec("return 1", nil), "1")
}

func noSecret(t *testing.T, where string, text []byte) {
	t.Helper()
	if len(text) == 0 {
		t.Errorf("%s: nothing was captured", where)
	}
	if at := bytes.Index(text, []byte(planted)); at >= 0 {
		t.Errorf("%s: tells a secret: %s", where, text[max(0, at-300):min(len(text), at+100)])
	}
}

// storedEvents gives everything in the event stream, subjects and headers included, one event a line.
func storedEvents(t *testing.T, g *gateway) []byte {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	cons, err := g.js.OrderedConsumer(ctx, subjects.StreamEvents, jetstream.OrderedConsumerConfig{})
	if err != nil {
		t.Fatal(err)
	}
	var all []byte
	for {
		msg, err := cons.Next(jetstream.FetchMaxWait(5 * time.Second))
		if err != nil {
			t.Fatalf("read events: %v", err)
		}
		all = fmt.Appendf(all, "%s %v %s\n", msg.Subject(), msg.Headers(), msg.Data())
		if meta, err := msg.Metadata(); err != nil || meta.NumPending == 0 {
			return all
		}
	}
}

func captureTelemetry(t *testing.T) (*tracetest.InMemoryExporter, *metric.ManualReader) {
	t.Helper()
	spans, reader := tracetest.NewInMemoryExporter(), metric.NewManualReader()
	tp, mp := trace.NewTracerProvider(trace.WithSyncer(spans)), metric.NewMeterProvider(metric.WithReader(reader))
	otel.SetTracerProvider(tp)
	otel.SetMeterProvider(mp)
	t.Cleanup(func() {
		if err := tp.Shutdown(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return spans, reader
}

func spansText(spans *tracetest.InMemoryExporter) string {
	var b strings.Builder
	for _, s := range spans.GetSpans() {
		fmt.Fprintln(&b, s.Name, s.Attributes, s.Events, s.Status, s.Links, s.Resource)
	}
	return b.String()
}

// lockedBuffer takes log lines from many goroutines.
type lockedBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *lockedBuffer) bytes() []byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	return bytes.Clone(b.buf.Bytes())
}
