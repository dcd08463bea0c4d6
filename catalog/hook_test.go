package catalog

import (
	"encoding/json"
	"testing"

	"codemode/protocol"
)

// Contract 3.9.
func TestExecHook(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, arguments, params string
		kind                    protocol.Language
	}{
		{"code alone", `{"code":"return 1"}`, `{"code":"return 1","command":"return 1"}`, "javascript"},
		{"command alone", `{"command":"return 1","language":null}`, `{"code":"return 1","command":"return 1","language":null}`, "javascript"},
		{"a blank one counts as absent", `{"code":" ","command":"return 1"}`, `{"code":"return 1","command":"return 1"}`, "javascript"},
		{"both, which differ", `{"code":"a()","command":"b()"}`, `{"code":"a()","command":"b()"}`, "javascript"},
		{"TypeScript", `{"code":"x","language":"typescript"}`, `{"code":"x","command":"x","language":"typescript"}`, "typescript"},
		{"a language that does not exist", `{"code":"x","language":"python"}`, `{"code":"x","command":"x","language":"python"}`, ""},
		{"a language that is no string", `{"code":"x","language":5}`, `{"code":"x","command":"x","language":5}`, ""},
		{"nothing given", `{}`, `{}`, "javascript"},
		{"no object", `["code"]`, `{}`, "javascript"},
	} {
		h := NewExecHook("agent-1", json.RawMessage(c.arguments))
		if h.ToolKind != "code_mode_exec" || h.ToolInputKind != c.kind || h.AgentID != "agent-1" {
			t.Errorf("%s: got %q, %q, %q", c.name, h.ToolKind, h.ToolInputKind, h.AgentID)
		}
		got, err := protocol.Marshal(h.Params)
		if err != nil {
			t.Fatal(err)
		}
		sameJSON(t, c.name, got, c.params)
	}
	withoutKind, err := protocol.Marshal(NewExecHook("", json.RawMessage(`{"language":1}`)))
	if err != nil {
		t.Fatal(err)
	}
	sameJSON(t, "an invalid language is left out", withoutKind, `{"toolKind":"code_mode_exec","params":{"language":1}}`)
}

// Contract 3.9: what hooks do to code and command.
func TestExecHookApply(t *testing.T) {
	t.Parallel()
	h := NewExecHook("", json.RawMessage(`{"command":"old","restartSafe":true}`))
	for _, c := range []struct{ name, params, want string }{
		{"nothing changed", `{"code":"old","command":"old","restartSafe":true}`, `{"code":"old","command":"old","restartSafe":true}`},
		{"code changed", `{"code":"new","command":"old"}`, `{"code":"new","command":"new"}`},
		{"command changed", `{"code":"old","command":"new"}`, `{"code":"new","command":"new"}`},
		{"both changed alike", `{"code":"new","command":"new"}`, `{"code":"new","command":"new"}`},
		{"both changed, differently", `{"code":"a","command":"b"}`, `{"code":"a","command":"b"}`},
		{"one taken away takes the other", `{"code":"old"}`, `{}`},
		{"one made blank", `{"code":"old","command":""}`, `{"code":"","command":""}`},
		{"one changed, the other taken away", `{"code":"new"}`, `{"code":"new"}`},
		{"everything taken away", `null`, `{}`},
	} {
		got, err := h.Apply(json.RawMessage(c.params))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		sameJSON(t, c.name, got, c.want)
	}
}
