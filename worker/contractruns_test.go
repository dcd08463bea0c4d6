package worker_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"codemode/internal/natsembed"
	"codemode/internal/natstest"
	"codemode/protocol"
	"codemode/vm"
	"codemode/worker"
)

// withTools merges fields of a job with the tools of the cell tests.
func withTools(fields map[string]any) map[string]any {
	job := map[string]any{"catalog": map[string]any{"inline": labTools}}
	for k, v := range fields {
		job[k] = v
	}
	return job
}

// TestSuspendedRunsPerSession: contract 12.3. A run that parks again keeps its slot; other sessions have their own.
func TestSuspendedRunsPerSession(t *testing.T) {
	t.Parallel()
	url := natstest.Server(t)
	startWorker(t, url, func(o *worker.Options) { o.SuspendedPerSession = 2 })
	g := newGateway(t, url, nil)
	const twice = "await yield_control(); await yield_control(); return 1"
	first := g.exec(twice, nil)
	g.exec(twice, nil)
	mustFail(t, g.exec(twice, nil), protocol.DetailTooManySuspended, "too many suspended code mode runs.")
	if again := g.wait(first.RunID); again.Result.Status != protocol.StatusWaiting {
		t.Errorf("a run that parks again got %s %q", again.Result.Status, again.Result.Error)
	}
	if other := g.exec(twice, map[string]any{"scope": map[string]any{"sessionId": "s2"}}); other.Result.Status != protocol.StatusWaiting {
		t.Errorf("another session got %s %q", other.Result.Status, other.Result.Error)
	}
	mustComplete(t, g.wait(first.RunID), "1")
	third := g.exec(twice, map[string]any{"scope": map[string]any{"sessionId": "s3"}})
	g.exec(twice, map[string]any{"scope": map[string]any{"sessionId": "s3"}})
	if _, err := g.nc.Request(g.names.Service(protocol.VerbAbort, tenant), []byte(`{"runId":"`+third.RunID+`"}`), 20*time.Second); err != nil {
		t.Fatal(err)
	}
	if r := g.exec(twice, map[string]any{"scope": map[string]any{"sessionId": "s3"}}); r.Result.Status != protocol.StatusWaiting {
		t.Errorf("after one was aborted: got %s %q", r.Result.Status, r.Result.Error)
	}
}

// TestListsAreBounded: pending lists and called ids name the first of many (contract 11.1, 16.1).
func TestListsAreBounded(t *testing.T) {
	t.Parallel()
	url := natstest.Server(t)
	startWorker(t, url, nil)
	g := newGateway(t, url, labAnswer)
	r := g.exec("", withTools(map[string]any{"input": map[string]any{"restartSafe": true,
		"code": `let n = 0; await Promise.all(Array.from({ length: 600 }, () => tools.search("order").then(() => n++))); return n`}}))
	if r.Result.Status != protocol.StatusWaiting || len(r.Result.Pending) != protocol.MaxPendingListed || r.Result.Pending[511].ID != "bridge:search:512" {
		t.Errorf("got %s with %d pending requests", r.Result.Status, len(r.Result.Pending))
	}
	mustComplete(t, g.wait(r.RunID), "600")

	var many []any
	for i := range 300 {
		many = append(many, map[string]any{"source": "openclaw", "name": fmt.Sprintf("t%03d", i)})
	}
	r = g.exec(`for (const t of ALL_TOOLS) await tools.callValue(t.id); await tools.t000(); return 1`, map[string]any{"catalog": map[string]any{"inline": map[string]any{"tools": many}}})
	if called := r.Result.Telemetry.CalledTools; r.Result.Telemetry.CallCount != 301 || len(called) != protocol.MaxCalledTools || called[0] != "openclaw:core:t000" {
		t.Errorf("%d calls, %d named", r.Result.Telemetry.CallCount, len(called))
	}
}

// TestNothingCrossesRuns: globals, catalogues and stored catalogues belong to one run, or one tenant (contract 3.1, 5.1).
func TestNothingCrossesRuns(t *testing.T) {
	t.Parallel()
	url := natstest.Server(t)
	startWorker(t, url, nil)
	g := newGateway(t, url, labAnswer)
	mustComplete(t, g.exec(`globalThis.leak = 1; Array.prototype.leak = 2; return ALL_TOOLS.length`, withTools(nil)), "20")
	mustComplete(t, g.exec(`return [typeof leak, typeof [].leak, ALL_TOOLS.length, typeof Shop, Object.keys(MCP)]`, nil), `["undefined","undefined",0,"undefined",["$api"]]`)

	ref := g.putCatalog("", labTools)
	mustComplete(t, g.exec(`return ALL_TOOLS.length`, map[string]any{"catalog": map[string]any{"ref": ref}}), "20")
	runID, replies := newRunID(), make(chan protocol.Reply, 1)
	g.subscribe(g.names.ReplyFilter("other", runID), decodeReply(t, replies))
	data, err := json.Marshal(map[string]any{"v": 1, "runId": runID, "jobId": "j", "scope": map[string]any{}, "input": map[string]any{"code": "return ALL_TOOLS"}, "catalog": map[string]any{"ref": ref}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := g.js.Publish(t.Context(), g.names.Job(protocol.JobExec, "other"), data); err != nil {
		t.Fatal(err)
	}
	mustFail(t, <-replies, protocol.DetailInvalidInput, "code mode catalog is unavailable.")
}

// TestCallsCarryTheExecScope: every call has the identity of the exec job, after waits too (contract 15).
func TestCallsCarryTheExecScope(t *testing.T) {
	t.Parallel()
	url := natstest.Server(t)
	startWorker(t, url, nil)
	var mu sync.Mutex
	var calls []protocol.Call
	g := newGateway(t, url, func(c protocol.Call) []byte {
		mu.Lock()
		defer mu.Unlock()
		calls = append(calls, c)
		return labAnswer(c)
	})
	scope := map[string]any{"agentId": "a", "sessionId": "s1", "sessionKey": "k", "agentRunId": "r", "toolCallId": "tc1", "sender": "me", "channel": "ch"}
	r := g.exec(`await tools.echo({ n: 1 }); await yield_control(); await Shop.list("open"); return 1`, withTools(map[string]any{"scope": scope}))
	waitScope := map[string]any{"agentId": "a", "sessionId": "s1", "sessionKey": "k", "agentRunId": "r", "toolCallId": "tc2", "sender": "you"}
	mustComplete(t, g.reply(g.send(protocol.JobWait, map[string]any{"runId": r.RunID, "scope": waitScope})), "1")
	want := protocol.Scope{AgentID: "a", SessionID: "s1", SessionKey: "k", AgentRunID: "r", ToolCallID: "tc1", Sender: "me", Channel: "ch"}
	mu.Lock()
	defer mu.Unlock()
	if len(calls) != 2 {
		t.Fatalf("got %d calls", len(calls))
	}
	for _, c := range calls {
		if c.Scope != want || c.ParentToolCallID != "tc1" || c.Attempt != 1 {
			t.Errorf("call %s: scope %+v, parent %s, attempt %d", c.CallID, c.Scope, c.ParentToolCallID, c.Attempt)
		}
	}
	if c := calls[1]; c.ToolID != "openclaw:shop:order_list" || c.Namespace == nil || c.Namespace.ID != "shop" || string(c.Input) != `{"state":"open"}` {
		t.Errorf("namespace call: %+v with input %s", c, c.Input)
	}
}

// TestCallsLeaveInTheirOrder: contract 10.2.
func TestCallsLeaveInTheirOrder(t *testing.T) {
	t.Parallel()
	url := natstest.Server(t)
	startWorker(t, url, nil)
	var inputs []string // the subscription's goroutine alone appends, and is done when the reply is there
	g := newGateway(t, url, func(c protocol.Call) []byte {
		inputs = append(inputs, string(c.Input))
		return labAnswer(c)
	})
	r := g.exec(`const all = []; for (let i = 0; i < 100; i++) all.push(tools.echo(i)); return (await Promise.all(all)).length`,
		withTools(map[string]any{"config": map[string]any{"enabled": true, "maxPendingToolCalls": 128}}))
	mustComplete(t, r, "100")
	for i, input := range inputs {
		if input != fmt.Sprint(i) {
			t.Fatalf("call %d came with input %s", i, input)
		}
	}
}

// TestSpawnsAreAskedForOnce: a launch whose answer was lost is asked for again under the same call id, by
// which a gateway launches it once; a recorded one is not asked for again (contract 9.4, 12.5).
func TestSpawnsAreAskedForOnce(t *testing.T) {
	t.Parallel()
	url := natstest.Server(t)
	startWorker(t, url, nil)
	var mu sync.Mutex
	seen := map[string][]int{}
	g := newGateway(t, url, func(c protocol.Call) []byte {
		mu.Lock()
		defer mu.Unlock()
		seen[c.CallID] = append(seen[c.CallID], c.Attempt)
		switch {
		case c.Attempt == 1:
			return nil
		case c.Method == protocol.MethodAgentSpawn:
			return okResult(c.CallID, map[string]any{"status": "accepted", "runId": "child"})
		}
		return okResult(c.CallID, map[string]any{"runId": "child", "status": "done", "result": "text"})
	})
	scope := map[string]any{"sessionId": "s1", "agentRunId": "r"}
	r := g.exec("", map[string]any{"swarm": true, "scope": scope, "input": map[string]any{"code": `return await agents.run("x")`, "restartSafe": true},
		"catalog": map[string]any{"inline": map[string]any{"tools": []any{map[string]any{"source": "openclaw", "name": "sessions_spawn"}}}}})
	for r.Result.Status == protocol.StatusWaiting {
		r = g.reply(g.send(protocol.JobWait, map[string]any{"runId": r.RunID, "scope": scope}))
	}
	mustComplete(t, r, `"text"`)
	mu.Lock()
	defer mu.Unlock()
	if len(seen) != 2 {
		t.Errorf("calls and attempts: %v, want two call ids", seen)
	}
	for id, attempts := range seen {
		if fmt.Sprint(attempts) != "[1 2]" {
			t.Errorf("%s was sent in attempts %v, want 1 and 2", id, attempts)
		}
	}
}

// TestNotesAreEvents: phase and log are events with group and text (contract 16.2).
func TestNotesAreEvents(t *testing.T) {
	t.Parallel()
	url := natstest.Server(t)
	startWorker(t, url, nil)
	g := newGateway(t, url, labAnswer)
	r := g.exec(`phase("Read"); log("two files"); return 1`, map[string]any{"swarm": true, "scope": map[string]any{"sessionId": "s1", "sessionKey": "k1", "agentRunId": "r1"}})
	mustComplete(t, r, "1")
	events := storedEvents(t, g)
	for _, want := range []string{`"kind":"phase"`, `"groupId":"swarm:k1:r1","text":"Read"`, `"kind":"log"`, `"groupId":"swarm:k1:r1","text":"two files"`} {
		if !bytes.Contains(events, []byte(want)) {
			t.Errorf("no event has %s:\n%s", want, events)
		}
	}
}

// TestRestartSafeOrder: what was parked together is settled yields first (contract 11.3, 13).
func TestRestartSafeOrder(t *testing.T) {
	t.Parallel()
	url := natstest.Server(t)
	startWorker(t, url, nil)
	g := newGateway(t, url, labAnswer)
	r := g.exec("", withTools(map[string]any{"forceRestartSafe": true, "input": map[string]any{"restartSafe": false,
		"code": `const order = []; const note = (n) => () => order.push(n); await Promise.all([tools.search("order").then(note("search")), tools.echo({ a: 1 }).then(note("call")), yield_control().then(note("yield"))]); return order`}}))
	if r.Result.Status != protocol.StatusWaiting || !r.Result.ReplaySafe || r.Result.Reason != protocol.ReasonPendingTools || len(r.Result.Pending) != 3 {
		t.Fatalf("got %+v", r.Result)
	}
	mustComplete(t, g.wait(r.RunID), `["yield","search","call"]`)
}

// TestFailurePhases: contract 14.5.
func TestFailurePhases(t *testing.T) {
	t.Parallel()
	url := natstest.Server(t)
	startWorker(t, url, nil)
	g := newGateway(t, url, labAnswer)
	tiny := map[string]any{"enabled": true, "maxSnapshotBytes": 1024}
	for _, c := range []struct {
		code   string
		config any
		phase  protocol.Phase
		sent   bool
	}{
		{"", true, protocol.PhaseInput, false},
		{"return 1", false, protocol.PhaseInput, false},
		{"const = 1", true, protocol.PhaseInput, false},
		{"ls -la", true, protocol.PhaseInput, false},
		{"throw 1", true, protocol.PhaseGuest, false},
		{"await tools.callValue('nope')", true, protocol.PhaseGuest, false},
		{"await yield_control()", tiny, protocol.PhaseHost, false},
		{"await tools.echo(); throw 1", true, protocol.PhaseBridge, true},
		{"await tools.echo(); await yield_control()", tiny, protocol.PhaseBridge, true},
	} {
		r := g.exec(c.code, withTools(map[string]any{"config": c.config}))
		if r.Result.Status != protocol.StatusFailed || r.Result.FailurePhase != c.phase || r.Result.BridgeDispatchStarted != c.sent {
			t.Errorf("%q: got %s in phase %s, dispatch started %v: %s", c.code, r.Result.Status, r.Result.FailurePhase, r.Result.BridgeDispatchStarted, r.Result.Error)
		}
	}
	if r := g.wait(newRunID()); r.Result.FailurePhase != protocol.PhaseBridge || !r.Result.BridgeDispatchStarted {
		t.Errorf("wait for an unknown run: %+v", r.Result)
	}
}

// TestWithoutEngine: where no VM can be had the run fails, and nothing else is done (contract 1, 14.4).
func TestWithoutEngine(t *testing.T) {
	t.Parallel()
	engine, err := vm.New(context.Background(), vm.Options{CacheDir: filepath.Join(os.TempDir(), "codemode-test-cache")})
	if err != nil {
		t.Fatal(err)
	}
	url := natstest.Server(t)
	startWorker(t, url, func(o *worker.Options) { o.Engine = engine })
	g := newGateway(t, url, labAnswer)
	if err := engine.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	r := g.exec("return 1", nil)
	if r.Result.Detail != protocol.DetailRuntimeUnavailable || r.Result.Detail.Code() != protocol.CodeRuntimeUnavailable || r.Result.FailurePhase != protocol.PhaseHost || r.Result.Error == "" {
		t.Errorf("got %+v", r.Result)
	}
}

// TestLargeInputsAndResults: contract 2.4.
func TestLargeInputsAndResults(t *testing.T) {
	t.Parallel()
	srv, err := natsembed.Start(natsembed.Options{StoreDir: t.TempDir(), MaxPayload: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(srv.Shutdown)
	url := srv.URL()
	startWorker(t, url, nil)
	room := natstest.Connect(t, url).MaxPayload() - protocol.CallReserveBytes
	g := newGateway(t, url, func(c protocol.Call) []byte {
		if c.ToolName == "raw" {
			return okResult(c.CallID, strings.Repeat("r", int(room)))
		}
		return okResult(c.CallID, len(c.Input))
	})
	mustComplete(t, g.exec(fmt.Sprintf(`const out = []; for (const f of [() => tools.echo("i".repeat(%d)), () => tools.echo("i".repeat(%d)), () => tools.raw()]) out.push(await f().catch((e) => e.message)); return out`, room-2, room), withTools(nil)),
		fmt.Sprintf(`[%d,"code mode tool input is too large.","code mode tool result is too large."]`, room))
}
