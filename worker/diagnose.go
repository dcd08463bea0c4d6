package worker

import (
	"context"
	"encoding/json"
	"log/slog"
	"regexp"
	"strings"
	"time"

	"codemode/protocol"
)

// Diagnostics say what a worker tells of its work in its log (contract 18). Requests and replies, and the
// outcomes of legs, are always told at debug level; once anything here is set, requests and replies are
// told at info level. No tool input or result, and no output of a cell, is ever logged.
type Diagnostics struct {
	// Legs tells activation, visible tools, the catalogue's size by source and each leg's outcome at info level.
	Legs bool
	// Transport has no effect but the common one.
	Transport bool
	// Payload is what is told of the tool definitions that a model is given.
	Payload Payload
	// Events is which events are told.
	Events EventLog
}

// Payload is how much is told of the tool definitions that a model is given.
type Payload string

// The payloads. Empty tells nothing.
const (
	PayloadSummary Payload = "summary"       // how many, how large
	PayloadTools   Payload = "tools"         // their names too
	PayloadFull    Payload = "full-redacted" // a capped copy too, which may hold prompt text
)

// EventLog is which events are told.
type EventLog string

// The event logs. Empty tells none.
const (
	EventsAll  EventLog = "events"
	EventsPeek EventLog = "peek" // the first five of each run
)

const (
	peekedEvents   = 5
	maxPayloadCopy = 16 << 10 // bytes
)

func (d Diagnostics) transportLevel() slog.Level {
	if d != (Diagnostics{}) {
		return slog.LevelInfo
	}
	return slog.LevelDebug
}

func (d Diagnostics) legLevel() slog.Level {
	if d.Legs {
		return slog.LevelInfo
	}
	return slog.LevelDebug
}

// tellReply tells of a stored reply and of the leg that it ends.
func (l *leg) tellReply(r *protocol.Reply) {
	d, ctx := l.w.opt.Diagnostics, context.Background()
	if level := d.transportLevel(); l.log.Enabled(ctx, level) {
		l.log.Log(ctx, level, "reply stored", "kind", l.kind, "status", r.Result.Status, "detail", r.Result.Detail, "attempt", r.Attempt,
			"queuedMs", r.Timing.QueuedMs, "totalMs", r.Timing.TotalMs)
	}
	if level := d.legLevel(); l.log.Enabled(ctx, level) {
		t := r.Result.Telemetry
		l.log.Log(ctx, level, "leg ended", "kind", l.kind, "status", r.Result.Status, "detail", r.Result.Detail, "phase", r.Result.FailurePhase,
			"leg", t.Legs, "catalogSize", t.CatalogSize, "openclaw", t.Sources.OpenClaw, "mcp", t.Sources.MCP, "client", t.Sources.Client,
			"visibleTools", t.VisibleTools, "calls", t.CallCount, "pending", len(r.Result.Pending), "snapshotBytes", t.SnapshotBytes,
			"vmMs", r.Timing.VMMs, "toolMs", r.Timing.ToolMs)
	}
}

// tellCall tells how a gateway answered a call.
func (w *Worker) tellCall(log *slog.Logger, toolID string, method protocol.Method, answer []byte, err error, sent time.Time) {
	level := w.opt.Diagnostics.transportLevel()
	if !log.Enabled(context.Background(), level) {
		return
	}
	status := "answered"
	switch {
	case err != nil:
		status = "unanswered"
	case len(answer) == 0:
		status = "accepted"
	}
	log.Log(context.Background(), level, "call sent", "method", method, "toolId", toolID, "status", status, "bytes", len(answer),
		"ms", millis(time.Since(sent)))
}

// tellEvent tells of an event; of an output item only its size.
func (w *Worker) tellEvent(e *protocol.Event) {
	which := w.opt.Diagnostics.Events
	if which == "" || which == EventsPeek && e.Seq > peekedEvents {
		return
	}
	w.log.Info("event", "tenant", e.Tenant, "runId", e.RunID, "seq", e.Seq, "kind", e.Kind, "jobId", e.JobID, "callId", e.CallID,
		"toolId", e.ToolID, "detail", e.Detail, "itemBytes", len(e.Item), "stateBytes", e.Bytes)
}

// tellSurface tells whether code mode activates and what the model is given.
func (w *Worker) tellSurface(tenant string, s *protocol.SurfaceResponse) {
	d, ctx := w.opt.Diagnostics, context.Background()
	log := w.log.With("tenant", tenant)
	names := []string{}
	for _, tool := range s.Tools {
		names = append(names, tool.Name)
	}
	log.Log(ctx, d.legLevel(), "surface", "active", s.Active, "visibleTools", names, "catalogRef", s.CatalogRef)
	if d.Payload == "" {
		return
	}
	data, err := protocol.Marshal(s.Tools)
	if err != nil {
		log.Warn("tool definitions could not be encoded", "error", err)
		return
	}
	log = log.With("tools", len(s.Tools), "bytes", len(data))
	switch d.Payload {
	case PayloadTools:
		log = log.With("names", names)
	case PayloadFull:
		log = log.With("names", names, "copy", redactedCopy(data))
	}
	log.Info("model payload")
}

var secretKey = regexp.MustCompile(`(?i)token|secret|passw|credential|authorization|cookie|api[-_]?key`)

// redactedCopy is JSON text without the strings that stand at a key which names a secret, cut to maxPayloadCopy.
func redactedCopy(data []byte) string {
	var v any
	if json.Unmarshal(data, &v) != nil {
		return ""
	}
	out, err := protocol.Marshal(redact(v, false))
	if err != nil {
		return ""
	}
	if len(out) > maxPayloadCopy {
		return strings.ToValidUTF8(string(out[:maxPayloadCopy]), "") + "…"
	}
	return string(out)
}

// redact replaces what stands below a key that names a secret, such as a default in a schema.
func redact(v any, secret bool) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = redact(v[i], secret)
		}
	case map[string]any:
		for key, value := range v {
			v[key] = redact(value, secret || secretKey.MatchString(key))
		}
	default:
		if secret {
			return "(redacted)"
		}
	}
	return v
}
