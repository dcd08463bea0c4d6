package conformance

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
)

type fields = map[string]any

// fakeWorker is a pool of workers that looks what to do up by the cell's source.
// As it is, it does all things right; its hooks make it do one wrong.
type fakeWorker struct {
	ctx    context.Context // of the test
	conn   *nats.Conn
	tenant string
	jobs   sync.WaitGroup

	editReply  func(kind string, reply fields)
	editCall   func(call fields)
	editEvent  func(event fields)
	editStatus func(status fields)
	abort      func(runID string) any // the whole answer
	surface    func(ask fields) any   // the whole answer
	noService  bool
	raw        string // replaces replies
	rawCall    string // replaces calls
	callID     string // replaces the token of calls
	stranger   bool   // replies once more, to a job that is not there
	noInbox    bool

	mu     sync.Mutex
	parked map[string]func(job fields) fields
	seqs   map[string]int
	aborts map[string]chan struct{} // by run or session
}

// aborted is closed once the broadcast for a run or session has come.
func (w *fakeWorker) aborted(id string) chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.aborts[id] == nil {
		w.aborts[id] = make(chan struct{})
	}
	return w.aborts[id]
}

func startFake(t *testing.T, wrong func(w *fakeWorker)) *fakeWorker {
	t.Helper()
	w := &fakeWorker{
		ctx: t.Context(), conn: dial(t), tenant: rand.Text(),
		parked: map[string]func(fields) fields{}, seqs: map[string]int{}, aborts: map[string]chan struct{}{},
		editReply: func(string, fields) {}, editCall: func(fields) {}, editEvent: func(fields) {}, editStatus: func(fields) {},
	}
	w.abort = func(runID string) any { return fields{"v": 1, "aborted": w.forget(runID)} }
	w.surface = func(ask fields) any {
		return fields{"v": 1, "active": true, "catalogRef": strings.Repeat("0f", 32), "tools": []any{
			fields{"name": "exec", "description": "runs a cell", "asked": ask}, fields{"function": fields{"name": "wait"}}}}
	}
	if wrong != nil {
		wrong(w)
	}
	seen := map[string]bool{} // of this subscription's goroutine
	w.on(t, "cm.job.*."+w.tenant, func(m *nats.Msg) {
		job := parse(m.Data)
		if id := job["jobId"].(string); !seen[id] {
			seen[id] = true
			w.jobs.Go(func() { w.work(strings.Split(m.Subject, ".")[2], job) })
		}
	})
	if !w.noService {
		w.on(t, "cm.svc.*."+w.tenant, w.serve)
	}
	w.on(t, "cm.abort."+w.tenant+".*.*", func(m *nats.Msg) { close(w.aborted(strings.Split(m.Subject, ".")[4])) })
	if err := w.conn.Flush(); err != nil {
		t.Fatal(err)
	}
	// Closing first frees jobs that wait for an answer.
	t.Cleanup(w.jobs.Wait)
	t.Cleanup(w.conn.Close)
	return w
}

func (w *fakeWorker) on(t *testing.T, subject string, f nats.MsgHandler) {
	t.Helper()
	if _, err := w.conn.Subscribe(subject, f); err != nil {
		t.Fatal(err)
	}
}

func parse(data []byte) fields {
	var v fields
	if err := json.Unmarshal(data, &v); err != nil {
		panic(err)
	}
	return v
}

func text(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return data
}

// put sets the value at a dotted path, whose parts may be indices.
func put(root any, path string, v any) {
	head, rest, more := strings.Cut(path, ".")
	switch x := root.(type) {
	case fields:
		if more {
			put(x[head], rest, v)
			return
		}
		if x[head] = v; v == nil {
			delete(x, head)
		}
	case []any:
		i, _ := strconv.Atoi(head)
		if more {
			put(x[i], rest, v)
			return
		}
		x[i] = v
	}
}

func (w *fakeWorker) forget(runID string) []any {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.parked[runID] == nil {
		return []any{}
	}
	delete(w.parked, runID)
	return []any{runID}
}

func (w *fakeWorker) serve(m *nats.Msg) {
	ask := parse(m.Data)
	runID, _ := ask["runId"].(string)
	switch strings.Split(m.Subject, ".")[2] {
	case "status":
		w.mu.Lock()
		state := "unknown"
		if w.parked[runID] != nil {
			state = "waiting"
		}
		w.mu.Unlock()
		status := fields{"v": 1, "state": state}
		w.editStatus(status)
		_ = m.Respond(text(status))
	case "abort":
		_ = m.Respond(text(w.abort(runID)))
	case "surface":
		_ = m.Respond(text(w.surface(ask)))
	}
}

func (w *fakeWorker) work(kind string, job fields) {
	runID, jobID := job["runId"].(string), job["jobId"].(string)
	begin := map[string]string{"exec": "started", "wait": "resumed"}[kind]
	w.event(job, "accepted", nil)
	w.event(job, begin, nil)
	w.event(job, "output", fields{"item": "open word"})
	result := w.result(kind, job)
	if result == nil {
		return
	}
	end, _ := result["status"].(string)
	if end == "waiting" {
		end = "suspended"
	}
	w.event(job, end, nil)
	reply := fields{"v": 1, "tenant": w.tenant, "runId": runID, "jobId": jobID, "result": result, "worker": "fake", "attempt": 1,
		"timing": fields{"queuedMs": 0, "vmMs": 1, "toolMs": 0, "totalMs": 2}}
	w.editReply(kind, reply)
	data := text(reply)
	if w.raw != "" {
		data = []byte(w.raw)
	}
	subject := "cm.run." + w.tenant + "." + runID + ".reply."
	if w.stranger {
		_ = w.conn.Publish(subject+"nobody", data)
	}
	_ = w.conn.Publish(subject+jobID, data)
}

func (w *fakeWorker) event(job fields, kind string, more fields) {
	runID := job["runId"].(string)
	w.mu.Lock()
	w.seqs[runID]++
	e := fields{"v": 1, "tenant": w.tenant, "runId": runID, "seq": w.seqs[runID], "at": time.Now().UTC().Format(time.RFC3339Nano),
		"kind": kind, "worker": "fake", "scope": job["scope"]}
	w.mu.Unlock()
	for k, v := range more {
		e[k] = v
	}
	w.editEvent(e)
	_ = w.conn.Publish("cm.event."+w.tenant+"."+runID+"."+kind, text(e))
}

func telemetry(legs int) fields {
	return fields{"catalogSize": 1, "sources": fields{"openclaw": 1, "mcp": 0, "client": 0}, "searchCount": 0, "describeCount": 0,
		"callCount": 1, "visibleTools": []any{"exec", "wait"}, "calledTools": []any{"openclaw:core:echo"}, "legs": legs}
}

func completed(value any, legs int) fields {
	return fields{"status": "completed", "value": value, "replaySafe": false, "telemetry": telemetry(legs),
		"output": []any{fields{"type": "text", "text": "hi"}, fields{"type": "json", "value": "j"}}}
}

func failed(code, detail, phase string, sent bool) fields {
	return fields{"status": "failed", "error": "Error: boom", "code": code, "detail": detail, "failurePhase": phase,
		"bridgeDispatchStarted": sent, "output": []any{}, "replaySafe": false, "telemetry": telemetry(1)}
}

// park suspends the run until a wait, which resume answers.
func (w *fakeWorker) park(job fields, reason, method string, more fields, resume func(job fields) fields) fields {
	w.mu.Lock()
	w.parked[job["runId"].(string)] = resume
	w.mu.Unlock()
	pending := fields{"id": "bridge:" + method + ":1", "method": method, "callId": method + "-1-01234567"}
	for k, v := range more {
		pending[k] = v
	}
	t := telemetry(1)
	t["snapshotBytes"] = 4096
	return fields{"status": "waiting", "runId": job["runId"], "reason": reason, "pendingToolCalls": []any{pending}, "output": []any{}, "replaySafe": false, "telemetry": t}
}

var echo = fields{"method": "callValue", "toolId": "openclaw:core:echo", "toolName": "echo", "input": fields{"n": 1}}

// with is a copy of a call that has other fields.
func with(call fields, more fields) fields {
	out := fields{}
	for _, m := range []fields{call, more} {
		for k, v := range m {
			out[k] = v
		}
	}
	return out
}

// result is what becomes of a job; nil leaves it without a reply.
func (w *fakeWorker) result(kind string, job fields) fields {
	if kind == "wait" {
		w.mu.Lock()
		resume := w.parked[job["runId"].(string)]
		delete(w.parked, job["runId"].(string))
		w.mu.Unlock()
		if resume == nil {
			return failed("invalid_input", "snapshot_expired", "bridge", true)
		}
		return resume(job)
	}
	code, _ := job["input"].(fields)["code"].(string)
	switch code {
	case "value":
		return completed(fields{"a": 1, "b": "x"}, 1)
	case "job":
		return completed(job, 1)
	case "now":
		return completed(time.Now().UnixMilli(), 1)
	case "random":
		return completed(rand.Text(), 1)
	case "throw":
		return failed("internal_error", "guest_error", "guest", false)
	case "yield":
		return w.park(job, "yield", "yield", nil, func(fields) fields { return completed("resumed", 2) })
	case "yield twice":
		return w.park(job, "yield", "yield", nil, func(job fields) fields {
			second := w.park(job, "yield", "yield", nil, func(fields) fields { return completed("resumed", 3) })
			put(second, "telemetry.legs", 2)
			second["output"] = []any{fields{"type": "text", "text": "first"}}
			return second
		})
	case "until abort", "until end of session":
		scope := job["scope"].(fields)
		id := map[string]any{"until abort": job["runId"], "until end of session": scope["sessionId"]}[code]
		select {
		case <-w.aborted(id.(string)):
		case <-w.ctx.Done():
		}
		return failed("aborted", "aborted", "guest", false)
	case "call":
		return w.called(w.call(job, echo, 1, 1))
	case "call twice":
		first := w.call(job, echo, 1, 1)
		second := w.call(job, with(echo, fields{"input": fields{"n": 2}}), 2, 1)
		if first == nil || second == nil {
			return nil
		}
		return completed([]any{first["value"], second["value"]}, 1)
	case "repeat call":
		w.call(job, echo, 1, 1)
		return w.called(w.call(job, echo, 1, 2))
	case "repeat call same attempt":
		w.call(job, echo, 1, 1)
		return w.called(w.call(job, echo, 1, 1))
	case "namespace":
		return w.called(w.call(job, with(echo, fields{"method": "namespace", "namespace": fields{"id": "ns", "path": []any{"f"}}}), 1, 1))
	case "swarm":
		return w.called(w.call(job, fields{"method": "agentSpawn", "args": []any{"task"}}, 1, 1))
	case "call and park":
		answer := make(chan fields, 1)
		w.jobs.Go(func() { answer <- w.call(job, echo, 1, 1) })
		return w.park(job, "pending_tools", "callValue", fields{"toolId": "openclaw:core:echo"}, func(fields) fields {
			r := w.called(<-answer)
			if r != nil {
				put(r, "telemetry.legs", 2)
			}
			return r
		})
	}
	return nil // silence
}

func (w *fakeWorker) called(answer fields) fields {
	switch {
	case answer == nil:
		return nil
	case answer["ok"] != true:
		r := failed("internal_error", "nested_tool_failed", "bridge", true)
		r["error"] = "Error: " + fmt.Sprint(answer["error"])
		return r
	case answer["result"] != nil:
		return completed(answer["result"], 1)
	}
	return completed(answer["value"], 1)
}

// call sends a nested call and waits for its answer by the inbox or the result
// subject. It returns nil when the connection is closed.
func (w *fakeWorker) call(job, what fields, n, attempt int) fields {
	method := what["method"].(string)
	payload := what["input"]
	if payload == nil {
		payload = what["args"]
	}
	sum := sha256.Sum256(text([]any{method, what["toolId"], payload}))
	callID := fmt.Sprintf("%s-%d-%s", method, n, hex.EncodeToString(sum[:4]))
	scope := job["scope"].(fields)
	c := with(fields{"v": 1, "tenant": w.tenant, "runId": job["runId"], "callId": callID, "id": fmt.Sprintf("bridge:%s:%d", method, n), "attempt": attempt,
		"deadline": time.Now().UTC().Format(time.RFC3339Nano), "scope": with(scope, nil), "parentToolCallId": scope["toolCallId"]}, what)
	w.editCall(c)
	data := text(c)
	if w.rawCall != "" {
		data = []byte(w.rawCall)
	}
	if w.callID != "" {
		callID = w.callID
	}
	base := "cm.run." + w.tenant + "." + job["runId"].(string)
	results, err := w.conn.SubscribeSync(base + ".result." + callID)
	if err != nil {
		return nil
	}
	w.event(job, "call", fields{"callId": callID, "attempt": attempt})
	if w.noInbox {
		_ = w.conn.Publish(base+".call."+callID, data)
		return fields{"ok": true, "value": 1}
	}
	m, err := w.conn.Request(base+".call."+callID, data, time.Minute)
	if err == nil && len(m.Data) == 0 {
		m, err = results.NextMsg(time.Minute)
	}
	if err != nil {
		return nil
	}
	return parse(m.Data)
}
