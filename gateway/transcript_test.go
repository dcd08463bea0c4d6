package gateway_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"codemode/gateway"
	"codemode/protocol"
)

func TestRecordedTranscript(t *testing.T) {
	t.Parallel()
	ctx, r := patience(t), newRig(t).worker()
	c := r.serve(gateway.Options{}, func(_ context.Context, call *gateway.Call) (any, error) {
		if call.ToolName == "bad" {
			return nil, errors.New("no luck")
		}
		return map[string]any{"token": "t0p", "n": 1}, nil
	})
	job := cell(`const a = await tools.callValue("good", {path: "/x", Password: {deep: 1}}); try { await tools.callValue("bad", {}) } catch {} return a.n`, "good", "bad")
	job.RunID, job.Scope.ToolCallID = gateway.NewRunID(), "tc_1"
	live := &gateway.Transcript{Redact: []string{"password", "token"}}
	changed, err := c.Record(ctx, job.RunID, live)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Exec(ctx, job); err != nil {
		t.Fatal(err)
	}
	news := 0
	for range changed {
		news++
	}
	if news == 0 {
		t.Error("nothing was told")
	}
	got := live.Messages()
	want := []gateway.Message{
		{Role: gateway.RoleCall, ToolName: "good", Input: json.RawMessage(`{"path":"/x","Password":"[redacted]"}`)},
		{Role: gateway.RoleResult, ToolName: "good", Content: json.RawMessage(`{"n":1,"token":"[redacted]"}`)},
		{Role: gateway.RoleCall, ToolName: "bad", Input: json.RawMessage(`{}`)},
		{Role: gateway.RoleResult, ToolName: "bad", Content: json.RawMessage(`"no luck"`), IsError: true},
	}
	if len(got) != len(want) {
		t.Fatalf("messages %+v", got)
	}
	for i, w := range want {
		g := got[i]
		if g.Role != w.Role || g.ToolName != w.ToolName || string(g.Input) != string(w.Input) || string(g.Content) != string(w.Content) || g.IsError != w.IsError ||
			g.Parent != "tc_1" || g.ToolID != "openclaw:core:"+w.ToolName || g.CallID == "" || g.At.IsZero() {
			t.Errorf("message %d: %+v", i, g)
		}
	}

	// Afterwards, from the events alone.
	history := wholeHistory(ctx, t, c, job.RunID)
	var later gateway.Transcript
	for _, e := range history {
		later.AddEvent(e)
	}
	frame := later.Messages()
	if len(frame) != 4 || frame[0].ToolID != "openclaw:core:good" || frame[0].Input != nil || frame[1].Content != nil || frame[3].IsError != true || frame[0].Parent != "tc_1" {
		t.Errorf("from events: %+v", frame)
	}
	if history[0].Kind != protocol.EventAccepted || !gateway.Ends(history[len(history)-1].Kind) {
		t.Errorf("history %+v", history)
	}
}

// wholeHistory waits until the last event is stored: subscribers see it a little earlier.
func wholeHistory(ctx context.Context, t *testing.T, c *gateway.Client, runID string) []protocol.Event {
	t.Helper()
	for {
		history, err := c.History(ctx, runID)
		if err != nil {
			t.Fatal(err)
		}
		if n := len(history); n > 0 && gateway.Ends(history[n-1].Kind) {
			return history
		}
	}
}

func TestShapes(t *testing.T) {
	t.Parallel()
	var tr gateway.Transcript
	tr.AddResult("call-1-00000000", []byte(`{"v":1,"callId":"call-1-00000000","ok":true,"result":{"content":[],"details":"hi"}}`))
	tr.AddCall(protocol.Call{CallID: "call-1-00000000", ToolID: "openclaw:core:a b", ToolName: "a b", Input: json.RawMessage(`[1]`), ParentToolCallID: "p"})
	tr.AddCall(protocol.Call{CallID: "agentWait-1-00000000", Method: protocol.MethodAgentWait, Args: json.RawMessage(`["r"]`)})
	tr.AddResult("agentWait-1-00000000", []byte("junk"))
	tr.AddResult("agentWait-1-00000000", []byte(`{"v":1,"callId":"agentWait-1-00000000","ok":true,"value":1}`)) // the first counts
	for name, c := range map[string]struct {
		got  any
		want string
	}{
		"chat": {gateway.ChatMessages(tr.Messages()), `[` +
			`{"role":"assistant","content":null,"tool_calls":[{"id":"p_call-1-00000000","type":"function","function":{"name":"a_b","arguments":"{\"input\":[1]}"}}]},` +
			`{"role":"tool","content":"hi","tool_call_id":"p_call-1-00000000"},` +
			`{"role":"assistant","content":null,"tool_calls":[{"id":"p_agentWait-1-00000000","type":"function","function":{"name":"agentWait","arguments":"{\"input\":[\"r\"]}"}}]},` +
			`{"role":"tool","content":"nested tool failed","tool_call_id":"p_agentWait-1-00000000"}]`},
		"blocks": {gateway.BlockMessages(tr.Messages()), `[` +
			`{"role":"assistant","content":[{"type":"tool_use","id":"p_call-1-00000000","name":"a_b","input":{"input":[1]}}]},` +
			`{"role":"user","content":[{"type":"tool_result","tool_use_id":"p_call-1-00000000","content":"hi"}]},` +
			`{"role":"assistant","content":[{"type":"tool_use","id":"p_agentWait-1-00000000","name":"agentWait","input":{"input":["r"]}}]},` +
			`{"role":"user","content":[{"type":"tool_result","tool_use_id":"p_agentWait-1-00000000","content":"nested tool failed","is_error":true}]}]`},
	} {
		data, err := protocol.Marshal(c.got)
		if err != nil || string(data) != c.want {
			t.Errorf("%s:\n%s\nwant\n%s\n%v", name, data, c.want, err)
		}
	}
}

func TestRedaction(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat(`{"a":[`, 5000) + `{"secret":1}` + strings.Repeat(`]}`, 5000)
	for in, want := range map[string]string{
		`{"b":1,"secret":{"x":[1,{"y":2}]},"a":[{"SECRET":null,"n":1.50}],"s":"<é>"}`: `{"b":1,"secret":"[redacted]","a":[{"SECRET":"[redacted]","n":1.50}],"s":"<é>"}`,
		`{"x":"secret","y":["secret",true,null]}`:                                     `{"x":"secret","y":["secret",true,null]}`,
		`"secret"`: `"secret"`, `12345678901234567890`: `12345678901234567890`, `[]`: `[]`, `{}`: `{}`,
		`{"secret":`: `"[redacted]"`, `nope`: `"[redacted]"`,
		deep: strings.Replace(deep, `{"secret":1}`, `{"secret":"[redacted]"}`, 1),
	} {
		tr := gateway.Transcript{Redact: []string{"secret"}}
		tr.AddCall(protocol.Call{CallID: "c", Input: json.RawMessage(in)})
		if got := string(tr.Messages()[0].Input); got != want {
			t.Errorf("%.60s gives %.80s, want %.80s", in, got, want)
		}
	}
}

func FuzzRedact(f *testing.F) {
	f.Add(`{"secret":[{"a":1}],"b":{"secret":"x"}}`)
	f.Add(`[[[{"a":"\u0000"}]]`)
	f.Fuzz(func(t *testing.T, in string) {
		tr := gateway.Transcript{Redact: []string{"secret"}}
		tr.AddCall(protocol.Call{CallID: "c", Input: json.RawMessage(in)})
		out := tr.Messages()[0].Input
		if len(in) > 0 && !json.Valid(out) {
			t.Fatalf("%q gives %q, which is no JSON", in, out)
		}
	})
}

func TestMCP(t *testing.T) {
	t.Parallel()
	list := json.RawMessage(`{"tools":[{"name":"create_issue","title":"Create","description":"d","inputSchema":{"type":"object"}},{"name":"read","annotations":{"title":"R","readOnlyHint":true}}]}`)
	got, err := gateway.MCPTools("GitHub", list, true)
	if err != nil || len(got) != 2 || got[0].Source != protocol.SourceMCP || got[0].Label != "Create" || string(got[0].Parameters) != `{"type":"object"}` ||
		*got[0].MCP != (protocol.MCPTool{ServerName: "GitHub", ToolName: "create_issue", Operation: protocol.OperationTool}) || got[0].ReplaySafe || !got[1].ReplaySafe || got[1].Label != "R" {
		t.Errorf("%+v, %v", got, err)
	}
	for _, bad := range []string{`{}`, `{"tools":1}`, `[{"name":""}]`, `nope`} {
		if _, err := gateway.MCPTools("s", json.RawMessage(bad), false); !errors.Is(err, gateway.ErrInput) {
			t.Errorf("%s: %v", bad, err)
		}
	}
	if _, err := gateway.MCPResult(json.RawMessage(`[]`)); !errors.Is(err, gateway.ErrMalformed) {
		t.Errorf("a result that is no object: %v", err)
	}

	ctx, r := patience(t), newRig(t).worker()
	c := r.serve(gateway.Options{}, func(_ context.Context, call *gateway.Call) (any, error) {
		params, err := gateway.MCPCall(call)
		if err != nil {
			return nil, err
		}
		return gateway.MCPResult(json.RawMessage(`{"content":[],"isError":true,"structuredContent":` + string(params) + `}`))
	})
	reply, err := c.Exec(ctx, gateway.Cell{Code: `return await MCP.gitHub.createIssue({title: "x"})`, Catalog: &protocol.Catalog{Tools: got}})
	if err != nil {
		t.Fatal(err)
	}
	wantValue(t, reply.Result, `{"content":[],"isError":true,"structuredContent":{"name":"create_issue","arguments":{"title":"x"}}}`)
}
