package worker_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"codemode/internal/natstest"
	"codemode/protocol"
)

// TestBadJobs: each malformed job is answered, or dropped where no reply can be addressed, and the worker
// goes on (protocol 1).
func TestBadJobs(t *testing.T) {
	t.Parallel()
	url := natstest.Server(t)
	startWorker(t, url, nil)
	g := newGateway(t, url, nil)

	dropped := []string{
		``, `{`, `null`, `[]`, `"job"`, "\xff\xfe\x00", `{"v":1}`,
		`{"v":1,"runId":"cm_aaaaaaaaaaaaaaaaaaaa","jobId":"a.b","scope":{}}`,
		`{"v":1,"runId":"cm_aaaaaaaaaaaaaaaaaaaa","jobId":"` + strings.Repeat("j", 65) + `","scope":{}}`,
		`{"v":1,"runId":"*","jobId":"j","scope":{}}`,
		`{"v":1,"runId":7,"jobId":"j","scope":{}}`,
	}
	for i, data := range dropped {
		g.publish(protocol.JobExec, fmt.Sprintf("dropped-%d", i), []byte(data))
		g.publish(protocol.JobWait, fmt.Sprintf("dropped-wait-%d", i), []byte(data))
	}

	answered := []struct {
		name, job string
		detail    protocol.Detail
		text      string
	}{
		{"wrong version", `{"v":2,"runId":"%s","jobId":"j","scope":{},"input":{"code":"return 1"}}`, protocol.DetailInvalidInput, "invalid code mode worker input"},
		{"no version", `{"runId":"%s","jobId":"j","scope":{},"input":{"code":"return 1"}}`, protocol.DetailInvalidInput, "invalid code mode worker input"},
		{"scope of another type", `{"v":1,"runId":"%s","jobId":"j","scope":5}`, protocol.DetailInvalidInput, "invalid code mode worker input"},
		{"no code", `{"v":1,"runId":"%s","jobId":"j","scope":{},"input":{}}`, protocol.DetailInvalidInput, "code or command must be a non-empty string."},
		{"no input", `{"v":1,"runId":"%s","jobId":"j","scope":{}}`, protocol.DetailInvalidInput, "code or command must be a non-empty string."},
		{"unknown catalogue", `{"v":1,"runId":"%s","jobId":"j","scope":{},"input":{"code":"return 1"},"catalog":{"ref":"` + strings.Repeat("0", 64) + `"}}`, protocol.DetailInvalidInput, "code mode catalog is unavailable."},
		{"ref that is no hash", `{"v":1,"runId":"%s","jobId":"j","scope":{},"input":{"code":"return 1"},"catalog":{"ref":"../x"}}`, protocol.DetailInvalidInput, "code mode catalog is unavailable."},
		{"catalogue with a bad entry", `{"v":1,"runId":"%s","jobId":"j","scope":{},"input":{"code":"return 1"},"catalog":{"inline":{"tools":[{"source":"openclaw"}]}}}`, protocol.DetailInvalidInput, "code mode catalog is invalid: "},
		{"NUL in the code", `{"v":1,"runId":"%s","jobId":"j","scope":{},"input":{"code":"return 1\u0000\u0001"}}`, protocol.DetailGuestError, "SyntaxError"},
		{"started too late", `{"v":1,"runId":"%s","jobId":"j","scope":{},"input":{"code":"return 1"},"startBy":"2001-01-01T00:00:00Z"}`, protocol.DetailTimeout, "code mode job was not started in time."},
	}
	for _, c := range answered {
		runID := newRunID()
		g.publish(protocol.JobExec, runID, fmt.Appendf(nil, c.job, runID))
		r := g.reply(runID + "/j")
		t.Run(c.name, func(t *testing.T) {
			mustFail(t, r, c.detail, c.text)
			if r.Result.FailurePhase != protocol.PhaseInput || r.Result.BridgeDispatchStarted {
				t.Errorf("phase %s, dispatch started %v; want input, false", r.Result.FailurePhase, r.Result.BridgeDispatchStarted)
			}
		})
	}
	t.Run("raw bytes in the code", func(t *testing.T) {
		runID := newRunID()
		g.publish(protocol.JobExec, runID, []byte(`{"v":1,"runId":"`+runID+`","jobId":"j","scope":{},"input":{"code":"return '`+"\xff\xfe"+`'"}}`))
		mustFail(t, g.reply(runID+"/j"), protocol.DetailInvalidInput, "invalid code mode worker input")
	})
	t.Run("run id that is no run token", func(t *testing.T) {
		g.publish(protocol.JobExec, "short-run", []byte(`{"v":1,"runId":"short","jobId":"j1","scope":{},"input":{"code":"return 1"}}`))
		mustFail(t, g.reply("short/j1"), protocol.DetailInvalidInput, "invalid code mode worker input")
		g.publish(protocol.JobWait, "short-wait", []byte(`{"v":1,"runId":"short","jobId":"j2","scope":{}}`))
		mustFail(t, g.reply("short/j2"), protocol.DetailSnapshotExpired, "code mode run is unavailable or expired.")
	})
	t.Run("a cell of 2 MB", func(t *testing.T) {
		mustComplete(t, g.exec("/*"+strings.Repeat("x", 2<<20)+"*/ return 1;", nil), "1")
	})
	mustComplete(t, g.exec("return 6 * 7", nil), "42")
}

// TestBadResults: what a gateway sends in place of a result rejects in the cell or is dropped (contract 6.8).
func TestBadResults(t *testing.T) {
	t.Parallel()
	url := natstest.Server(t)
	startWorker(t, url, nil)
	big := strings.Repeat("b", 5<<20)
	answers := map[string]func(protocol.Call) []byte{
		"garbage":       func(protocol.Call) []byte { return []byte("not json") },
		"other call":    func(protocol.Call) []byte { return okResult("callValue-1-00000000", 1) },
		"no value":      func(c protocol.Call) []byte { return []byte(`{"v":1,"callId":"` + c.CallID + `","ok":true}`) },
		"no error":      func(c protocol.Call) []byte { return []byte(`{"v":1,"callId":"` + c.CallID + `","ok":false}`) },
		"wrong version": func(c protocol.Call) []byte { return []byte(`{"v":3,"callId":"` + c.CallID + `","ok":true,"value":1}`) },
		"5 MB":          func(c protocol.Call) []byte { return okResult(c.CallID, big) },
	}
	g := newGateway(t, url, func(c protocol.Call) []byte {
		var in struct{ Kind string }
		if err := json.Unmarshal(c.Input, &in); err != nil {
			t.Errorf("input of %s: %v", c.CallID, err)
			return nil
		}
		return answers[in.Kind](c)
	})
	const code = `try { return (await tools.a({ kind: %q })).length } catch (e) { return e.message }`
	for kind := range answers {
		want := `"nested tool failed"`
		if kind == "5 MB" {
			want = fmt.Sprint(len(big))
		}
		mustComplete(t, g.exec(fmt.Sprintf(code, kind), map[string]any{"catalog": oneTool}), want)
	}
}

// TestStrayResults: results that are stored for a run without being asked for change nothing, and one
// that is no JSON settles its call as a failure.
func TestStrayResults(t *testing.T) {
	t.Parallel()
	url := natstest.Server(t)
	startWorker(t, url, nil)
	var g *gateway
	g = newGateway(t, url, func(c protocol.Call) []byte {
		for _, id := range []string{"callValue-9-00000000", "nonsense", "call-1-11111111"} {
			if err := g.storeResult(c.RunID, id, []byte(`{"v":1,"callId":"`+id+`","ok":true,"value":"stray"}`)); err != nil {
				t.Errorf("store stray result: %v", err)
			}
		}
		if err := g.storeResult(c.RunID, c.CallID, []byte("\xff not json")); err != nil {
			t.Errorf("store result: %v", err)
		}
		return []byte{}
	})
	mustComplete(t, g.exec(`try { return await tools.a() } catch (e) { return e.message }`, map[string]any{"catalog": oneTool}), `"nested tool failed"`)
}
