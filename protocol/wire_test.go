package protocol

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
)

func TestTokens(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]bool{
		"cm_0123456789abcdef": true, "cm_" + strings.Repeat("a", 64): true, "cm_A-b_c456789012345": true,
		"cm_short": false, "cm_" + strings.Repeat("a", 65): false, "xx_0123456789abcdef": false, "cm_0123456789abcde.": false, "": false,
	} {
		if got := ValidRunID(s); got != want {
			t.Errorf("run id %q: got %v", s, got)
		}
	}
	for s, want := range map[string]bool{"a": true, "A_z-9": true, strings.Repeat("a", 64): true, "": false, strings.Repeat("a", 65): false, "a b": false, "a*": false, "ä": false} {
		if ValidTenant(s) != want || ValidJobID(s) != want {
			t.Errorf("token %q: got %v", s, !want)
		}
	}
	if got := SessionToken("plain-1"); got != "plain-1" {
		t.Errorf("got %q", got)
	}
	// SHA-256 of "agent:main" begins with these digits.
	if got := SessionToken("agent:main"); len(got) != 34 || !strings.HasPrefix(got, "h_") || got != SessionToken("agent:main") || got == SessionToken("agent:other") {
		t.Errorf("got %q", got)
	}
}

// TestCallID checks the canonical form against values computed by hand: keys are sorted by UTF-16 code
// unit, numbers are written as ECMAScript writes them (protocol 1, RFC 8785).
func TestCallID(t *testing.T) {
	t.Parallel()
	same := [][2]string{
		{`{"b":1,"a":[1.0,1e2]}`, `{ "a" : [1,100], "b":1 }`},
		{`{"\u20ac":1,"\ud83d\ude00":2,"a":"\u00e9"}`, `{"a":"é","€":1,"😀":2}`},
		{`0.0000001`, `1e-7`},
		{`-0`, `0`},
	}
	for _, p := range same {
		a, errA := CallID(MethodCallValue, 3, "openclaw:core:x", json.RawMessage(p[0]))
		b, errB := CallID(MethodCallValue, 3, "openclaw:core:x", json.RawMessage(p[1]))
		if errA != nil || errB != nil || a != b {
			t.Errorf("%s and %s: got %q (%v) and %q (%v), want the same", p[0], p[1], a, errA, b, errB)
		}
	}
	id, err := CallID(MethodSwarmNote, 12, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	method, n, hash, ok := ParseCallID(id)
	if !ok || method != MethodSwarmNote || n != 12 || len(hash) != 8 {
		t.Errorf("%q parses as %s %d %s %v", id, method, n, hash, ok)
	}
	// printf '["yield",null,null]' | sha256sum
	if id, err := CallID(MethodYield, 1, "", nil); err != nil || id != "yield-1-"+yieldHash {
		t.Errorf("got %s (%v), want yield-1-%s", id, err, yieldHash)
	}
	for _, bad := range []string{"", "call", "call-1", "call-0-00000000", "call-01-00000000", "call-1-0000000", "call-1-0000000G", "call-1-0000000A", "nope-1-00000000", "call-1-00000000-1"} {
		if _, _, _, ok := ParseCallID(bad); ok {
			t.Errorf("%q was taken for a call id", bad)
		}
	}
}

func TestDecodeCallResult(t *testing.T) {
	t.Parallel()
	const id = "call-1-00000000"
	good := []string{
		`{"v":1,"callId":"` + id + `","ok":true,"value":null}`,
		`{"v":1,"callId":"` + id + `","ok":true,"result":{}}`,
		`{"v":1,"callId":"` + id + `","ok":false,"error":{"message":""}}`,
	}
	for _, data := range good {
		if _, err := DecodeCallResult(id, []byte(data)); err != nil {
			t.Errorf("%s: %v", data, err)
		}
	}
	bad := []string{
		``, `null`, `[]`, `"x"`, `{}`, "\xff",
		`{"v":2,"callId":"` + id + `","ok":true,"value":1}`,
		`{"v":1,"callId":"call-2-00000000","ok":true,"value":1}`,
		`{"v":1,"callId":"` + id + `","ok":true}`,
		`{"v":1,"callId":"` + id + `","ok":true,"result":5}`,
		`{"v":1,"callId":"` + id + `","ok":false}`,
		`{"v":1,"callId":"` + id + `","ok":"yes","value":1}`,
		`{"v":1,"callId":"` + id + `","ok":false,"error":"text"}`,
	}
	for _, data := range bad {
		if _, err := DecodeCallResult(id, []byte(data)); !errors.Is(err, ErrMalformedResult) {
			t.Errorf("%s: got %v, want ErrMalformedResult", data, err)
		}
	}
}

// TestResultRoundTrip: each status has its fields and no others (protocol 5).
func TestResultRoundTrip(t *testing.T) {
	t.Parallel()
	common := func(r Result) Result {
		r.Output, r.Telemetry, r.ReplaySafe = []json.RawMessage{json.RawMessage(`{"type":"text","text":"<a>"}`)}, NewTelemetry(1), true
		return r
	}
	cases := map[string]struct {
		result Result
		want   string
	}{
		"completed": {common(Result{Status: StatusCompleted, Value: json.RawMessage(`{"b":1,"a":2}`)}), `{"status":"completed","value":{"b":1,"a":2},`},
		"waiting": {common(Result{Status: StatusWaiting, RunID: testRun, Reason: ReasonYield, Pending: []PendingCall{{ID: "bridge:yield:1", Method: MethodYield, CallID: "yield-1-00000000"}}}),
			`{"status":"waiting","runId":"` + testRun + `","reason":"yield","pendingToolCalls":[{"id":"bridge:yield:1","method":"yield","callId":"yield-1-00000000"}],`},
		"failed": {common(Result{Status: StatusFailed, Error: "e", Detail: DetailWrongScope, FailurePhase: PhaseBridge}),
			`{"status":"failed","error":"e","code":"invalid_input","detail":"wrong_scope","failurePhase":"bridge","bridgeDispatchStarted":false,`},
	}
	tail := `"output":[{"type":"text","text":"<a>"}],"replaySafe":true,"telemetry":{"catalogSize":0,"sources":{"openclaw":0,"mcp":0,"client":0},"searchCount":0,"describeCount":0,"callCount":0,"visibleTools":["exec","wait"],"calledTools":[],"legs":1}}`
	for name, c := range cases {
		data, err := Marshal(c.result)
		if err != nil || string(data) != c.want+tail {
			t.Errorf("%s: got %s (%v)", name, data, err)
		}
		var back Result
		if err := json.Unmarshal(data, &back); err != nil || !reflect.DeepEqual(back, c.result) {
			t.Errorf("%s: came back as %+v (%v)", name, back, err)
		}
	}
	if data, err := Marshal(Result{Status: StatusCompleted}); err != nil || !strings.Contains(string(data), `"value":null`) || !strings.Contains(string(data), `"output":[]`) {
		t.Errorf("empty result is %s (%v)", data, err)
	}
	if _, err := Marshal(Result{}); err == nil {
		t.Error("a result without a status was written")
	}
}

// TestCodes: each detail belongs to the code of contract 14.2.
func TestCodes(t *testing.T) {
	t.Parallel()
	want := map[Code][]Detail{
		CodeInvalidInput: {DetailInvalidInput, DetailInvalidConfig, DetailLanguage, DetailTypeScript, DetailModuleAccess, DetailSnapshotExpired,
			DetailWrongScope, DetailAlreadyResuming, DetailTooManySuspended, DetailTooManyPending},
		CodeInternal:           {DetailGuestError, DetailNestedToolFailed, DetailMemoryLimit, DetailRestoreFailed, DetailReplayDiverged, DetailAttemptsExhausted, DetailInternal},
		CodeRuntimeUnavailable: {DetailRuntimeUnavailable}, CodeTimeout: {DetailTimeout}, CodeOutputLimit: {DetailOutputLimit},
		CodeSnapshotLimit: {DetailSnapshotLimit}, CodeAborted: {DetailAborted},
	}
	for code, details := range want {
		for _, d := range details {
			if d.Code() != code {
				t.Errorf("%s: got %s, want %s", d, d.Code(), code)
			}
		}
	}
}

func TestNodeEntry(t *testing.T) {
	t.Parallel()
	const text = `{"kind":"object","entries":[["list",{"kind":"function","toolName":"t","params":["a"]}],["n",{"kind":"value","value":null}]]}`
	var n Node
	if err := json.Unmarshal([]byte(text), &n); err != nil {
		t.Fatal(err)
	}
	if len(n.Entries) != 2 || n.Entries[0].Key != "list" || n.Entries[0].Node.Params[0] != "a" || string(n.Entries[1].Node.Value) != "null" {
		t.Errorf("got %+v", n)
	}
	if data, err := Marshal(n); err != nil || string(data) != text {
		t.Errorf("got %s (%v)", data, err)
	}
	for _, bad := range []string{`{"kind":"object","entries":[["a"]]}`, `{"kind":"object","entries":[[1,{}]]}`, `{"kind":"object","entries":[["a",5]]}`, `{"kind":"object","entries":["a"]}`} {
		if err := json.Unmarshal([]byte(bad), &n); err == nil {
			t.Errorf("%s was accepted", bad)
		}
	}
}

func FuzzDecodeCallResult(f *testing.F) {
	f.Add("call-1-00000000", []byte(`{"v":1,"callId":"call-1-00000000","ok":true,"value":{"a":[1,null]}}`))
	f.Add("call-1-00000000", []byte(`{"v":1,"callId":"call-1-00000000","ok":false,"error":{"message":"m","kind":"blocked"}}`))
	f.Fuzz(func(t *testing.T, id string, data []byte) {
		r, err := DecodeCallResult(id, data)
		if err != nil {
			if !errors.Is(err, ErrMalformedResult) {
				t.Errorf("error %v does not wrap ErrMalformedResult", err)
			}
			return
		}
		if r.CallID != id || r.OK && len(r.Value) == 0 && len(r.Result) == 0 || !r.OK && r.Error == nil {
			t.Errorf("accepted %+v", r)
		}
	})
}

func BenchmarkCallID(b *testing.B) {
	input := json.RawMessage(`{"query":"quarterly report","limit":10,"filters":{"from":"2026-01-01","tags":["a","b"]}}`)
	for b.Loop() {
		if _, err := CallID(MethodCallValue, 1, "openclaw:core:search", input); err != nil {
			b.Fatal(err)
		}
	}
}

const yieldHash = "bb092ced"
