package main

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"

	"codemode/protocol"
)

func keys(t *testing.T, v any) []string {
	t.Helper()
	text, err := protocol.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(text, &fields); err != nil {
		t.Fatal(err)
	}
	return slices.Sorted(maps.Keys(fields))
}

func sameSet(a, b []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}

// good has a valid text of each message; refused says how it is spoilt.
var good = map[string]string{
	"exec-job": `{"v":1,"runId":"cm_0123456789abcdef","jobId":"j","scope":{"sessionId":"s"},"input":{"code":"return 1"},"config":{"enabled":true,"timeoutMs":500},
		"catalog":{"inline":{"tools":[{"source":"mcp","name":"a","mcp":{"serverName":"s","toolName":"a"}}]}},"startBy":"2026-01-02T03:04:05.678Z",
		"namespaces":[{"id":"n","pluginId":"p","globalName":"N","requiredToolNames":["a"],"scope":{"kind":"object","entries":[["f",{"kind":"function","toolName":"a","params":["x"]}]]}}]}`,
	"wait-job":    `{"v":1,"runId":"cm_0123456789abcdef","jobId":"j","scope":{}}`,
	"call":        `{"v":1,"tenant":"t","runId":"cm_0123456789abcdef","callId":"call-1-00000000","id":"bridge:call:1","method":"call","attempt":1,"deadline":"2026-01-02T03:04:05Z","scope":{},"toolId":"openclaw:core:a","toolName":"a","input":{}}`,
	"call-result": `{"v":1,"callId":"call-1-00000000","ok":true,"value":null}`,
	"reply": `{"v":1,"tenant":"t","runId":"cm_0123456789abcdef","jobId":"j","worker":"w","attempt":1,"timing":{"queuedMs":0,"vmMs":0.5,"toolMs":0,"totalMs":1},
		"result":{"status":"failed","error":"e","code":"timeout","detail":"timeout","failurePhase":"guest","bridgeDispatchStarted":false,"output":[{"type":"text","text":""},{"type":"json","value":null}],
		"replaySafe":false,"telemetry":{"catalogSize":0,"sources":{"openclaw":0,"mcp":0,"client":0},"searchCount":0,"describeCount":0,"callCount":0,"visibleTools":[],"calledTools":[],"legs":1}}}`,
	"event":            `{"v":1,"tenant":"t","runId":"cm_0123456789abcdef","seq":1,"at":"2026-01-02T03:04:05Z","kind":"call","worker":"w","scope":{},"callId":"call-1-00000000","method":"call","attempt":1}`,
	"catalog":          `{"tools":[{"source":"openclaw","name":"a","parameters":{"type":"object"}}]}`,
	"status-request":   `{"runId":"cm_0123456789abcdef"}`,
	"status-response":  `{"v":1,"state":"unknown"}`,
	"abort-request":    `{"sessionId":"any text"}`,
	"abort-response":   `{"v":1,"aborted":[]}`,
	"surface-request":  `{"catalog":{"tools":[]},"config":true,"swarm":null}`,
	"surface-response": `{"v":1,"active":false}`,
	"service-error":    `{"v":1,"error":"e"}`,
}

func TestInvalidMessagesAreRefused(t *testing.T) {
	t.Parallel()
	for _, m := range messages {
		if err := validate(t, m.file, good[m.file]); err != nil {
			t.Errorf("%s: a good message is refused: %v", m.file, err)
		}
		for _, text := range []string{`null`, `[]`, `"x"`, `{}`} {
			if validate(t, m.file, text) == nil {
				t.Errorf("%s takes %s", m.file, text)
			}
		}
	}
	for _, c := range []struct{ message, path, value string }{ // an empty value takes the member away
		{"exec-job", "v", `2`},
		{"exec-job", "v", `"1"`},
		{"exec-job", "runId", ``},
		{"exec-job", "runId", `"cm_short"`},
		{"exec-job", "jobId", `"a.b"`},
		{"exec-job", "scope", `"s"`},
		{"exec-job", "scope", ``},
		{"exec-job", "startBy", `"tomorrow"`},
		{"exec-job", "config", `"on"`},
		{"exec-job", "config.timeoutMs", `"500"`},
		{"exec-job", "config.timeoutMs", `0`},
		{"exec-job", "config.timeoutMs", `1.5`},
		{"exec-job", "catalog", `{}`},
		{"exec-job", "catalog", `{"ref":"abc"}`},
		{"exec-job", "catalog.ref", `"0000000000000000000000000000000000000000000000000000000000000000"`}, // beside inline
		{"exec-job", "catalog.inline.tools", `{}`},
		{"exec-job", "catalog.inline.tools.0.source", `"plugin"`},
		{"exec-job", "catalog.inline.tools.0.name", `" "`},
		{"exec-job", "catalog.inline.tools.0.mcp", ``},
		{"exec-job", "catalog.inline.tools.0.mcp.operation", `"delete"`},
		{"exec-job", "namespaces.0.requiredToolNames", `[]`},
		{"exec-job", "namespaces.0.scope.kind", `"map"`},
		{"exec-job", "namespaces.0.scope.entries.0", `["f"]`},
		{"exec-job", "namespaces.0.scope.entries.0.1.toolName", ``},
		{"wait-job", "runId", `"a.b"`},
		{"call", "method", `"yield"`},
		{"call", "callId", `"call-1-0000000"`},
		{"call", "attempt", `0`},
		{"call", "deadline", `17`},
		{"call", "input", ``},
		{"call", "toolId", ``},
		{"call", "method", `"agentSpawn"`}, // without args
		{"call", "method", `"namespace"`},  // without namespace
		{"call-result", "callId", ``},
		{"call-result", "value", ``},
		{"call-result", "ok", `false`}, // without error
		{"call-result", "ok", `"yes"`},
		{"call-result", "result", `[]`},
		{"call-result", "error", `{"kind":"blocked"}`},
		{"reply", "result.code", `"internal_error"`}, // not that of the detail
		{"reply", "result.detail", `"unheard_of"`},
		{"reply", "result.status", `"aborted"`},
		{"reply", "result.status", `"completed"`}, // without value
		{"reply", "result.output", `["text"]`},
		{"reply", "result.output.0.text", `5`},
		{"reply", "result.telemetry.legs", ``},
		{"reply", "timing.vmMs", ``},
		{"event", "kind", `"paused"`},
		{"event", "seq", `0`},
		{"event", "kind", `"output"`}, // without item
		{"event", "kind", `"settled"`},
		{"event", "kind", `"suspended"`},
		{"event", "kind", `"failed"`},
		{"catalog", "tools", ``},
		{"catalog", "tools.0.replaySafe", `"yes"`},
		{"abort-request", "runId", `"cm_0123456789abcdef"`}, // beside sessionId
		{"abort-request", "sessionId", `""`},
		{"status-request", "runId", `"*"`},
		{"status-response", "state", `"running"`},
		{"abort-response", "aborted", `null`},
		{"surface-request", "catalog", ``},
		{"surface-response", "active", `true`}, // without tools
		{"service-error", "error", ``},
	} {
		text := spoil(t, good[c.message], c.path, c.value)
		if validate(t, c.message, text) == nil {
			t.Errorf("%s with %s = %q is taken: %s", c.message, c.path, c.value, text)
		}
	}
}
