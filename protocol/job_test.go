package protocol

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"
)

const testRun = "cm_0123456789abcdef"

func TestDecodeJob(t *testing.T) {
	t.Parallel()
	good := `{"v":1,"runId":"` + testRun + `","jobId":"j-1","scope":{"sessionId":"s"},"input":{"code":"return 1"},"startBy":"2026-01-02T03:04:05.000000006Z","extra":[1]}`
	job, err := DecodeJob(JobExec, []byte(good))
	if err != nil {
		t.Fatal(err)
	}
	if job.RunID != testRun || job.JobID != "j-1" || job.Scope.SessionID != "s" || !job.StartBy.Equal(time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC)) {
		t.Errorf("got %+v", job)
	}
	cases := []struct {
		name, data   string
		unanswerable bool
	}{
		{"no JSON", `{`, true},
		{"no object", `[]`, true},
		{"no ids", `{"v":1}`, true},
		{"job id with a dot", `{"v":1,"runId":"` + testRun + `","jobId":"a.b"}`, true},
		{"job id too long", `{"v":1,"runId":"` + testRun + `","jobId":"` + strings.Repeat("j", 65) + `"}`, true},
		{"run id that is a wildcard", `{"v":1,"runId":"*","jobId":"j"}`, true},
		{"run id that is no run token", `{"v":1,"runId":"other","jobId":"j"}`, false},
		{"wrong version", `{"v":2,"runId":"` + testRun + `","jobId":"j"}`, false},
		{"version of another type", `{"v":"1","runId":"` + testRun + `","jobId":"j"}`, false},
		{"scope of another type", `{"v":1,"runId":"` + testRun + `","jobId":"j","scope":[]}`, false},
		{"not UTF-8", `{"v":1,"runId":"` + testRun + `","jobId":"j","input":{"code":"` + "\xff" + `"}}`, false},
		{"time of another form", `{"v":1,"runId":"` + testRun + `","jobId":"j","startBy":"soon"}`, false},
	}
	for _, c := range cases {
		_, err := DecodeJob(JobExec, []byte(c.data))
		if got := errors.Is(err, ErrUnanswerable); err == nil || got != c.unanswerable {
			t.Errorf("%s: got %v, want an error that is unanswerable: %v", c.name, err, c.unanswerable)
		}
		var fail *Error
		if !c.unanswerable && (!errors.As(err, &fail) || fail.Detail != DetailInvalidInput || fail.Message != "invalid code mode worker input") {
			t.Errorf("%s: got %v, want invalid_input", c.name, err)
		}
	}
	if _, err := DecodeJob(JobWait, []byte(`{"v":1,"runId":"other","jobId":"j"}`)); err != nil {
		t.Errorf("a wait on a run id that is no run token: %v; it is an unknown run", err)
	}
}

// TestExecInput covers contract 4.1 row by row.
func TestExecInput(t *testing.T) {
	t.Parallel()
	cases := []struct {
		raw    string
		want   ExecInput
		detail Detail
		text   string
	}{
		{`{"code":"return 1"}`, ExecInput{"return 1", JavaScript, false}, "", ""},
		{`{"command":"return 1"}`, ExecInput{"return 1", JavaScript, false}, "", ""},
		{`{"code":"a","command":"a","language":"typescript","restartSafe":true,"x":1}`, ExecInput{"a", TypeScript, true}, "", ""},
		{`{"code":"a","command":"  ","language":null,"restartSafe":null}`, ExecInput{"a", JavaScript, false}, "", ""},
		{`{"code":7,"command":"b"}`, ExecInput{"b", JavaScript, false}, "", ""},
		{`{"code":null,"command":"b"}`, ExecInput{"b", JavaScript, false}, "", ""},
		{`{"code":"` + "\u00a0\ufeff\u2003" + `"}`, ExecInput{}, DetailInvalidInput, "code or command must be a non-empty string."},
		{`{}`, ExecInput{}, DetailInvalidInput, "code or command must be a non-empty string."},
		{`null`, ExecInput{}, DetailInvalidInput, "code or command must be a non-empty string."},
		{`"return 1"`, ExecInput{}, DetailInvalidInput, "code or command must be a non-empty string."},
		{`[]`, ExecInput{}, DetailInvalidInput, "code or command must be a non-empty string."},
		{``, ExecInput{}, DetailInvalidInput, "code or command must be a non-empty string."},
		{`{"code":"a","command":"a "}`, ExecInput{}, DetailInvalidInput, "code and command must match when both are provided."},
		{`{"code":"a","language":"python"}`, ExecInput{}, DetailLanguage, "language must be javascript or typescript."},
		{`{"code":"a","language":1}`, ExecInput{}, DetailLanguage, "language must be javascript or typescript."},
		{`{"code":"a","restartSafe":"yes"}`, ExecInput{}, DetailInvalidInput, "restartSafe must be a boolean."},
	}
	for _, c := range cases {
		got, fail := ParseExecInput(json.RawMessage(c.raw))
		if c.detail == "" {
			if fail != nil || got != c.want {
				t.Errorf("%s: got %+v, %v; want %+v", c.raw, got, fail, c.want)
			}
		} else if fail == nil || fail.Detail != c.detail || fail.Message != c.text {
			t.Errorf("%s: got %v, want %s %q", c.raw, fail, c.detail, c.text)
		}
	}
}

// TestWaitInput covers contract 4.2.
func TestWaitInput(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		`{"runId":" cm_x "}`: "cm_x", `{"run_id":"cm_y"}`: "cm_y", `{"runId":null,"run_id":"cm_z"}`: "cm_z",
		`{"runId":""}`: "", `{"runId":7}`: "", `{}`: "", `[]`: "", `{"runId":"\t"}`: "", `{"runId":7,"run_id":"cm_z"}`: "",
	} {
		got, fail := ParseWaitInput(json.RawMessage(raw))
		if got != want || (fail == nil) != (want != "") {
			t.Errorf("%s: got %q, %v; want %q", raw, got, fail, want)
		}
		if fail != nil && fail.Message != "runId must be a non-empty string." {
			t.Errorf("%s: got %q", raw, fail.Message)
		}
	}
}

// TestAuthorise covers the owner check of contract 11.4.
func TestAuthorise(t *testing.T) {
	t.Parallel()
	owner := Scope{AgentID: "a", SessionID: "s", SessionKey: "k", AgentRunID: "r", ToolCallID: "t", Sender: "x"}
	same := owner
	same.ToolCallID, same.Sender = "other", ""
	change := func(f func(*Scope)) Scope { s := owner; f(&s); return s }
	cases := []struct {
		name        string
		owner, wait Scope
		want        *Error
	}{
		{"same identities, another tool call", owner, same, nil},
		{"no identities to present", Scope{}, Scope{SessionID: "anything"}, nil},
		{"another agent run", owner, change(func(s *Scope) { s.AgentRunID = "q" }), ErrOtherAgentRun},
		{"no agent run", owner, change(func(s *Scope) { s.AgentRunID = "" }), ErrOtherAgentRun},
		{"another session", owner, change(func(s *Scope) { s.SessionID = "q" }), ErrOtherSession},
		{"no session key", owner, change(func(s *Scope) { s.SessionKey = "" }), ErrOtherSession},
		{"another agent", owner, change(func(s *Scope) { s.AgentID = "q" }), ErrOtherSession},
		{"all differ: the agent run is looked at first", owner, Scope{}, ErrOtherAgentRun},
	}
	for _, c := range cases {
		if got := c.owner.Authorise(c.wait); got != c.want {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
}

func FuzzDecodeJob(f *testing.F) {
	f.Add([]byte(`{"v":1,"runId":"`+testRun+`","jobId":"j","scope":{},"input":{"code":"x"},"config":{"timeoutMs":5},"catalog":{"ref":"r"}}`), true)
	f.Add([]byte(`{"v":1,"runId":5}`), false)
	f.Fuzz(func(t *testing.T, data []byte, exec bool) {
		kind := JobWait
		if exec {
			kind = JobExec
		}
		job, err := DecodeJob(kind, data)
		if errors.Is(err, ErrUnanswerable) {
			return
		}
		if !ValidJobID(job.JobID) || !RoutableRunID(job.RunID) {
			t.Errorf("answerable job with ids %q and %q", job.RunID, job.JobID)
		}
		if err != nil {
			return
		}
		ResolveSwarm(job.Swarm)
		if c := ResolveConfig(job.Config); c.TimeoutMs < 100 || c.TimeoutMs > 60_000 || c.SearchDefaultLimit < 1 || c.SearchDefaultLimit > c.MaxSearchLimit {
			t.Errorf("configuration out of range: %+v", c)
		}
		if in, fail := ParseExecInput(job.Input); fail == nil && strings.TrimFunc(in.Code, jsSpace) == "" {
			t.Error("blank code was accepted")
		}
	})
}
