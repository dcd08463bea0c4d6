package catalog

import (
	"encoding/json"
	"strings"
	"sync"
	"testing"

	"codemode/protocol"
)

// shopTools has one tool of every kind.
const shopTools = `[
 {"source":"openclaw","name":"read","description":"Reads a local file and returns its text.","parameters":{"type":"object","properties":{"path":{"type":"string"}},"required":["path"],"additionalProperties":false}},
 {"source":"openclaw","name":"order_create","description":"Creates an order for a customer.","parameters":{"type":"object","properties":{"customer":{"type":"string"},"total":{"type":"number"}},"required":["customer","total"],"additionalProperties":false},"owner":"shop"},
 {"source":"openclaw","name":"order_list","description":"Lists the orders of a customer.","parameters":{"type":"object","properties":{"customer":{"type":"string"}},"required":["customer"],"additionalProperties":false},"owner":"shop"},
 {"source":"openclaw","name":"weather_now","description":"Current weather for a city.","parameters":{"type":"object","properties":{"city":{"type":"string"}},"required":["city"],"additionalProperties":false},"owner":"weather"},
 {"source":"client","name":"select_file","description":"Lets the user pick a file.","parameters":{"type":"object","properties":{"title":{"type":"string"}},"required":["title"],"additionalProperties":false}},
 {"source":"mcp","owner":"github","name":"github__create_issue","description":"Create an issue.","parameters":{"type":"object","properties":{"title":{"type":"string"}},"required":["title"],"additionalProperties":false},"mcp":{"serverName":"github","toolName":"create_issue"}}]`

// Contract 5.3, 6.1, 6.3 and 16.1; conformance tools/all-tools.
func TestAllTools(t *testing.T) {
	t.Parallel()
	c := decode(t, shopTools)
	sameJSON(t, "ALL_TOOLS", c.AllTools(), `[
	 {"id":"openclaw:core:read","source":"openclaw","sourceName":"core","name":"read","description":"Reads a local file and returns its text.","input":"{ path: string }"},
	 {"id":"openclaw:shop:order_create","source":"openclaw","sourceName":"shop","name":"order_create","description":"Creates an order for a customer.","input":"{ customer: string; total: number }"},
	 {"id":"openclaw:shop:order_list","source":"openclaw","sourceName":"shop","name":"order_list","description":"Lists the orders of a customer.","input":"{ customer: string }"},
	 {"id":"openclaw:weather:weather_now","source":"openclaw","sourceName":"weather","name":"weather_now","description":"Current weather for a city.","input":"{ city: string }"},
	 {"id":"client:client:select_file","source":"client","sourceName":"client","name":"select_file","description":"Lets the user pick a file.","input":"unknown"}]`)
	same(t, "size", c.Size(), 6)
	same(t, "sources", c.Sources(), protocol.SourceCounts{OpenClaw: 4, MCP: 1, Client: 1})
	same(t, "visible tools", c.VisibleTools(), []string{"exec", "wait"})
	if c.Bytes() <= 0 {
		t.Error("no size")
	}
	empty := decode(t, `[]`)
	sameJSON(t, "empty ALL_TOOLS", empty.AllTools(), `[]`)
}

// Contract 6.2: defaults of owners, ids joined as they are, the later of two equal ids counts.
func TestIDs(t *testing.T) {
	t.Parallel()
	c := decode(t, `[
	 {"source":"openclaw","name":"message","description":"first"},
	 {"source":"openclaw","owner":"browser","name":"browser_request"},
	 {"source":"mcp","name":"create_issue","mcp":{"serverName":"Git Hub","safeServerName":"github","toolName":"create_issue"}},
	 {"source":"mcp","name":"x","mcp":{"serverName":"raw","toolName":"x"}},
	 {"source":"client","owner":"app","name":"select_file"},
	 {"source":"client","name":"a:b <c>"},
	 {"source":"openclaw","owner":"core","name":"message","description":"second"}]`)
	want := []string{"openclaw:core:message", "openclaw:browser:browser_request", "mcp:github:create_issue", "mcp:raw:x", "client:app:select_file", "client:client:a:b <c>"}
	got := idsOf(c.entries)
	same(t, "ids", got, want)
	same(t, "parts", []string{string(c.mcp[0].Source()), c.mcp[0].SourceName(), c.mcp[0].Name()}, []string{"mcp", "github", "create_issue"})
	same(t, "later one", lookup(t, c, "message").Tool().Description, "second")
	if compact := string(lookup(t, c, "client:client:a:b <c>").Compact()); !strings.HasPrefix(compact, `{"id":"client:client:a:b <c>",`) {
		t.Errorf("compact entry is %s", compact)
	}
}

// Contract 6.3: core, bundled, external, MCP, client; each by id in code point order.
func TestOrder(t *testing.T) {
	t.Parallel()
	tools := []string{
		`{"source":"client","name":"c"}`,
		`{"source":"mcp","name":"m","mcp":{"serverName":"s","toolName":"m"}}`,
		`{"source":"openclaw","owner":"ext","name":"x"}`,
		`{"source":"openclaw","owner":"bun","name":"y","bundled":true}`,
		`{"source":"openclaw","name":"` + "\uFFFD" + `"}`,
		`{"source":"openclaw","name":"` + "\U0001F600" + `"}`,
		`{"source":"openclaw","name":"b","bundled":true}`,
		`{"source":"openclaw","name":"Z"}`,
		`{"source":"openclaw","name":"a"}`,
	}
	want := []string{"openclaw:core:Z", "openclaw:core:a", "openclaw:core:b", "openclaw:core:\uFFFD", "openclaw:core:\U0001F600", "openclaw:bun:y", "openclaw:ext:x", "mcp:s:m", "client:client:c"}
	for turn := range len(tools) {
		rotated := append(append([]string{}, tools[turn:]...), tools[:turn]...)
		same(t, "order", idsOf(decode(t, "["+strings.Join(rotated, ",")+"]").entries), want)
	}
}

// Contract 3.2, 3.3, 6.1; conformance tools/control-and-direct.
func TestControlsAndDirectOnly(t *testing.T) {
	t.Parallel()
	c := decode(t, `[
	 {"source":"openclaw","name":"exec","description":"Runs a shell command."},
	 {"source":"openclaw","name":"exec","control":true},
	 {"source":"openclaw","name":"wait","control":true},
	 {"source":"openclaw","name":"tool_search"},{"source":"client","name":"tool_call"},{"source":"openclaw","owner":"p","name":"tool_describe"},
	 {"source":"openclaw","name":"tool_search_code","directOnly":true},
	 {"source":"mcp","name":"tool_search","mcp":{"serverName":"s","toolName":"tool_search"}},
	 {"source":"openclaw","name":"image","directOnly":true},
	 {"source":"openclaw","name":"computer","directOnly":true},
	 {"source":"openclaw","owner":"p","name":"computer","directOnly":true},
	 {"source":"openclaw","owner":"p","name":"wait","directOnly":true}]`)
	same(t, "entries", idsOf(c.entries), []string{"openclaw:core:exec", "mcp:s:tool_search"})
	same(t, "visible tools", c.VisibleTools(), []string{"exec", "wait", "image", "computer"})
	for _, ref := range []string{"computer", "openclaw:core:computer", "tool_search", "wait", "mcp:s:tool_search"} {
		if _, err := c.Lookup(ref); err == nil {
			t.Errorf("%s can be reached", ref)
		}
	}
	if id, ok := c.Convenience("exec"); !ok || id != "openclaw:core:exec" {
		t.Errorf("tools.exec is %q", id)
	}
}

// Contract 5.5; conformance tools/safe-names, tools/odd-names, tools/ambiguous-name.
func TestConvenience(t *testing.T) {
	t.Parallel()
	var tools []string
	for _, n := range []string{"dash-name", "9lives", "__openclawX", "then", "toJSON", "valueOf", "a-b", "a_b", "describe", "search",
		"__proto__", "constructor", "hasOwnProperty", "é", "😀", "$ok", "_", "tool_x", "ok"} {
		tools = append(tools, `{"source":"openclaw","owner":"p","name":"`+n+`"}`)
	}
	tools = append(tools, `{"source":"client","name":"ok"}`, `{"source":"mcp","name":"dash_name","mcp":{"serverName":"s","toolName":"x"}}`)
	c := decode(t, "["+strings.Join(tools, ",")+"]")
	for name, id := range map[string]string{
		"dash_name": "openclaw:p:dash-name", "tool_9lives": "openclaw:p:9lives", "tool___openclawX": "openclaw:p:__openclawX",
		"__": "openclaw:p:😀", "$ok": "openclaw:p:$ok", "tool_x": "openclaw:p:tool_x",
	} {
		if got, ok := c.Convenience(name); !ok || got != id {
			t.Errorf("tools.%s is %q, want %q", name, got, id)
		}
	}
	for _, name := range []string{"dash-name", "9lives", "__openclawX", "then", "toJSON", "valueOf", "a_b", "a-b", "describe", "search",
		"__proto__", "constructor", "hasOwnProperty", "_", "ok", "missing"} {
		if id, ok := c.Convenience(name); ok {
			t.Errorf("tools.%s is %q, want none", name, id)
		}
	}
	same(t, "names in catalogue order", c.ConvenienceNames(), []string{"$ok", "tool_9lives", "tool___openclawX", "dash_name", "tool_x", "__"})
}

// Contract 5.4; conformance tools/describe, declared-output/output-hint.
func TestDescribed(t *testing.T) {
	t.Parallel()
	c := decode(t, `[
	 {"source":"openclaw","name":"a","label":"An \"A\"","description":"x","parameters":{ "z":1, "a":{"__proto__":2} },"outputSchema":{"type":"string"}},
	 {"source":"client","name":"b","parameters":null,"outputSchema":{"type":"string"}}]`)
	if got, want := string(lookup(t, c, "a").Described()), `{"id":"openclaw:core:a","source":"openclaw","sourceName":"core","name":"a","label":"An \"A\"","description":"x","input":"unknown","output":"string","parameters":{"z":1,"a":{"__proto__":2}},"outputSchema":{"type":"string"}}`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got, want := string(lookup(t, c, "b").Described()), `{"id":"client:client:b","source":"client","sourceName":"client","name":"b","description":"","input":"unknown","parameters":{}}`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// Contract 5.4; conformance tools/value-without-details, tools/call-envelope.
func TestValueAndEnvelope(t *testing.T) {
	t.Parallel()
	for result, want := range map[string]string{
		`{"content":[],"details":null}`:          `null`,
		`{"content":[],"details":{"a":[1,2]}}`:   `{"a":[1,2]}`,
		`{"content":[{"text":"4 C"}]}`:           `{"content":[{"text":"4 C"}]}`,
		`{"Details":1}`:                          `{"Details":1}`,
		`{"details":1,"x":{"details":2}}`:        `1`,
		`[{"details":1}]`:                        `[{"details":1}]`,
		`{"\u0064etails":"escaped key","a":"b"}`: `"escaped key"`,
	} {
		if got := string(Value(json.RawMessage(result))); got != want {
			t.Errorf("value of %s is %s, want %s", result, got, want)
		}
	}
	e := lookup(t, decode(t, shopTools), "read")
	want := `{"tool":` + string(e.Compact()) + `,"result":{"content":[]}}`
	if got := string(Envelope(e, json.RawMessage(`{"content":[]}`))); got != want {
		t.Errorf("envelope %s, want %s", got, want)
	}
	sameJSON(t, "envelope without result", Envelope(e, nil), `{"tool":`+string(e.Compact())+`,"result":null}`)
}

// Contract 13.
func TestReplaySafe(t *testing.T) {
	t.Parallel()
	c := decode(t, `[{"source":"openclaw","name":"a","replaySafe":true},{"source":"openclaw","name":"b"},
	 {"source":"mcp","name":"m","replaySafe":true,"mcp":{"serverName":"s","toolName":"m"}}]`)
	same(t, "replay safe", []bool{lookup(t, c, "a").ReplaySafe(), lookup(t, c, "b").ReplaySafe(), c.mcp[0].ReplaySafe()}, []bool{true, false, false})
	for ref, want := range map[string]bool{"openclaw:core:a": true, " openclaw:core:a": true, "a": false, "openclaw:core:b": false, "mcp:s:m": false, "gone": false} {
		same(t, ref, c.ReplaySafeCall(ref), want)
	}
}

// Contract 6.1: the reason names entry and field.
func TestDecodeErrors(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`[]`:                      "it must be an object",
		`{}`:                      "tools must be an array",
		`{"tools":{}}`:            "tools must be an array",
		`{"tools":[],"tools":[]}`: "tools: duplicate key",
		`{"tools":[{"source":"openclaw","name":"a","parameters":{"p":{"x":1,"x":2}}}]}`: "tools.0.parameters.p.x: duplicate key",
		"{\"tools\":[{\"source\":\"openclaw\",\"name\":\"\xff\"}]}":                     "not valid UTF-8",
		`{"tools":[7]}`: "tools[0].source must be given: the entry is no object",
		`{"tools":[{"source":"openclaw","name":"a"},{"source":"plugin","name":"a"}]}`:                                       "tools[1].source must be openclaw, mcp or client",
		`{"tools":[{"source":"openclaw"}]}`:                                                                                 "tools[0].name must be a non-empty string",
		`{"tools":[{"source":"openclaw","name":" "}]}`:                                                                      "tools[0].name must be a non-empty string",
		`{"tools":[{"source":"openclaw","name":7}]}`:                                                                        "tools[0].name must be a string",
		`{"tools":[{"source":"openclaw","name":"a","description":[]}]}`:                                                     "tools[0].description must be a string",
		`{"tools":[{"source":"openclaw","name":"a","replaySafe":"yes"}]}`:                                                   "tools[0].replaySafe must be a boolean",
		`{"tools":[{"source":"mcp","name":"a"}]}`:                                                                           "tools[0].mcp must be an object for source mcp",
		`{"tools":[{"source":"mcp","name":"a","mcp":{"serverName":5}}]}`:                                                    "tools[0].mcp.serverName must be a string",
		`{"tools":[{"source":"mcp","name":"a","mcp":{"serverName":"s"}}]}`:                                                  "tools[0].mcp.toolName must be a non-empty string",
		`{"tools":[{"source":"mcp","name":"a","mcp":{"toolName":"s"}}]}`:                                                    "tools[0].mcp.serverName must be a non-empty string",
		`{"tools":[{"source":"mcp","name":"a","mcp":{"serverName":"s","toolName":"t","operation":"drop"}}]}`:                "tools[0].mcp.operation must be tool, resources_list, resources_read, prompts_list or prompts_get",
		`{"tools":[],"namespaces":{}}`:                                                                                      "namespaces must be an array",
		`{"tools":[],"namespaces":[{"description":1}]}`:                                                                     "namespaces[0].description must be a string",
		`{"tools":[],"namespaces":[7]}`:                                                                                     "namespaces[0].id must be given: the entry is no object",
		`{"tools":[],"namespaces":[{"scope":{"kind":"object","entries":[["a",{"kind":"array","items":[{"kind":"?"}]}]]}}]}`: "namespaces[0].scope.entries[0].items[0].kind must be object, array, value or function",
		`{"tools":[],"namespaces":[{"scope":{"kind":"object","entries":[["a"]]}}]}`:                                         "namespaces[0].scope.entries[0] must be a pair of key and node",
		`{"tools":[],"namespaces":[{"scope":{"kind":"function","params":[1]}}]}`:                                            "namespaces[0].scope.params must be an array of strings",
		`{"tools":[],"namespaces":[{"scope":{"kind":"object","entries":5}}]}`:                                               "namespaces[0].scope.entries must be an array",
	} {
		_, err := Decode([]byte(text))
		refused(t, err, "code mode catalog is invalid: "+want)
	}
	if _, err := Decode([]byte(`{"tools":[`)); err == nil || !strings.HasPrefix(err.Error(), "code mode catalog is invalid: ") {
		t.Errorf("cut text gives %v", err)
	}
	_, err := Decode([]byte(`{"` + strings.Repeat("é", 5000) + `":{"a":1,"a":2}}`))
	if err == nil || len(err.Error()) > 600 {
		t.Errorf("the error has %d bytes", len(message(err)))
	}
}

// Unknown fields and null for optional ones are no errors (protocol, preamble).
func TestDecodeLenient(t *testing.T) {
	t.Parallel()
	c, err := Decode([]byte(`{"tools":[{"source":"openclaw","name":"a","owner":null,"label":null,"bundled":null,"mcp":7,"new":{"x":1}}],"namespaces":null,"later":[]}`))
	if err != nil {
		t.Fatal(err)
	}
	same(t, "ids", idsOf(c.entries), []string{"openclaw:core:a"})
	if _, err := Decode([]byte(`{"tools":null}`)); err != nil {
		t.Errorf("a nil slice of a Go gateway: %v", err)
	}
}

func TestBuild(t *testing.T) {
	t.Parallel()
	c, err := Build(protocol.Catalog{Tools: []protocol.Tool{{Source: "openclaw", Name: "a", Parameters: json.RawMessage(` { "type" : "object" } `)}}})
	if err != nil {
		t.Fatal(err)
	}
	sameJSON(t, "entry", c.AllTools(), `[{"id":"openclaw:core:a","source":"openclaw","sourceName":"core","name":"a","description":"","input":"{ ... }"}]`)
	null, err := Build(protocol.Catalog{Tools: []protocol.Tool{{Source: "openclaw", Name: "a", Parameters: json.RawMessage("null"), OutputSchema: json.RawMessage(" null ")}}})
	if err != nil {
		t.Fatal(err)
	}
	sameJSON(t, "null is absent", lookup(t, null, "a").Described(), `{"id":"openclaw:core:a","source":"openclaw","sourceName":"core","name":"a","description":"","input":"unknown","parameters":{}}`)
	for _, b := range []struct {
		tool protocol.Tool
		want string
	}{
		{protocol.Tool{Source: "openclaw", Name: "a", Parameters: json.RawMessage(`{`)}, "tools[0].parameters: not valid JSON: no key at byte 1"},
		{protocol.Tool{Source: "openclaw", Name: "a", OutputSchema: json.RawMessage(`{"a":1,"a":1}`)}, "tools[0].outputSchema: a: duplicate key"},
		{protocol.Tool{Source: "openclaw", Name: "a\xff"}, "tools[0].name: not valid UTF-8"},
		{protocol.Tool{Source: "mcp", Name: "a"}, "tools[0].mcp must be an object for source mcp"},
	} {
		_, err := Build(protocol.Catalog{Tools: []protocol.Tool{b.tool}})
		refused(t, err, "code mode catalog is invalid: "+b.want)
	}
}

// A catalogue is used by many runs at once; what is made lazily is made once.
func TestConcurrentUse(t *testing.T) {
	t.Parallel()
	c := decode(t, shopTools)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			v, err := c.ForRun(nil, true)
			if err != nil {
				t.Error(err)
				return
			}
			c.AllTools()
			c.Search("order customer", 8)
			_, _ = c.Lookup("orders")
			v.MCPTree()
			_, _ = v.APIList("")
			_, _ = v.DollarAPI("github", "", true)
			_, _, _ = v.Resolve("mcp", []string{"github", "createIssue"}, Args{})
			_ = lookup(t, c, "read").CompileOutput()
		})
	}
	wg.Wait()
}
