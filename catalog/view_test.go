package catalog

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"codemode/protocol"
)

const (
	ticketTools = `[{"source":"openclaw","owner":"desk","name":"ticket_list"},{"source":"openclaw","owner":"desk","name":"ticket_update"}]`
	ticketScope = `{"kind":"object","entries":[["queue",{"kind":"value","value":"main"}],["list",{"kind":"function","toolName":"ticket_list"}],
	 ["update",{"kind":"function","toolName":"ticket_update","params":["id","patch"]}],["drop",{"kind":"function","toolName":"ticket_drop"}],
	 ["meta",{"kind":"object","entries":[["labels",{"kind":"array","items":[{"kind":"value","value":null},{"kind":"function","toolName":"ticket_list","params":[]}]}]]}]]}`
)

func ticketNamespace(id, plugin, global, required, scope string) string {
	return fmt.Sprintf(`{"id":%q,"pluginId":%q,"globalName":%q,"description":"Ticket lookup helpers.","requiredToolNames":%s,"scope":%s}`, id, plugin, global, required, scope)
}

var tickets = ticketNamespace("tickets", "desk", "Tickets", `["ticket_list","ticket_update"]`, ticketScope)

func args(values ...string) Args {
	a := Args{Count: len(values), Values: map[int]json.RawMessage{}}
	for i, v := range values {
		if v != "undefined" {
			a.Values[i] = json.RawMessage(v)
		}
	}
	return a
}

// Contract 8.5, 8.7; conformance namespaces/both-ways, namespaces/positional, namespaces/argument-mapping.
func TestResolveNamespace(t *testing.T) {
	t.Parallel()
	v := view(t, ticketTools, "["+tickets+"]", false)
	for _, c := range []struct {
		ns    string
		path  []string
		args  Args
		id    string
		input string
		err   string
	}{
		{"tickets", []string{"list"}, args(`{"state":"open"}`), "openclaw:desk:ticket_list", `{"state":"open"}`, ""},
		{"tickets", []string{"list"}, args(), "openclaw:desk:ticket_list", `{}`, ""},
		{"tickets", []string{"list"}, args("undefined"), "openclaw:desk:ticket_list", `{}`, ""},
		{"tickets", []string{"list"}, args("null"), "openclaw:desk:ticket_list", `{}`, ""},
		{"tickets", []string{"list"}, args(`{"q":1}`, `"ignored"`), "openclaw:desk:ticket_list", `{"q":1}`, ""},
		{"tickets", []string{"update"}, args("7", `{"done":true}`), "openclaw:desk:ticket_update", `{"id":7,"patch":{"done":true}}`, ""},
		{"tickets", []string{"update"}, args("7"), "openclaw:desk:ticket_update", `{"id":7}`, ""},
		{"tickets", []string{"update"}, args("undefined", `{"a":1}`), "openclaw:desk:ticket_update", `{"patch":{"a":1}}`, ""},
		{"tickets", []string{"update"}, args("1", "2", "3"), "openclaw:desk:ticket_update", `{"id":1,"patch":2}`, ""},
		{"tickets", []string{"update"}, args("null"), "openclaw:desk:ticket_update", `{"id":null}`, ""},
		{"tickets", []string{"update"}, args(), "openclaw:desk:ticket_update", `{}`, ""},
		{"tickets", []string{"meta", "labels", "1"}, args("1"), "openclaw:desk:ticket_list", `{}`, ""},
		{"other", []string{"list"}, args(), "", "", "Unknown code mode namespace: other"},
		{"__proto__", nil, args(), "", "", "Unknown code mode namespace: __proto__"},
		{"tickets", []string{"queue"}, args(), "", "", "Code mode namespace path is not callable: queue"},
		{"tickets", []string{"meta", "labels"}, args(), "", "", "Code mode namespace path is not callable: meta.labels"},
		{"tickets", []string{"meta", "labels", "01"}, args(), "", "", "Code mode namespace path is not callable: meta.labels.01"},
		{"tickets", []string{"meta", "labels", "-1"}, args(), "", "", "Code mode namespace path is not callable: meta.labels.-1"},
		{"tickets", []string{"list", "x"}, args(), "", "", "Code mode namespace path is not callable: list.x"},
		{"tickets", []string{"constructor"}, args(), "", "", "Code mode namespace path is not callable: constructor"},
		{"tickets", nil, args(), "", "", "Code mode namespace path is not callable: "},
		{"tickets", []string{"drop"}, args(), "", "", "Code mode namespace path targets undeclared tool: ticket_drop"},
	} {
		e, input, err := v.Resolve(c.ns, c.path, c.args)
		id := ""
		if e != nil {
			id = e.ID()
		}
		if id != c.id || string(input) != c.input || message(err) != c.err {
			t.Errorf("%s %q: %q %s %q\nwant %q %s %q", c.ns, c.path, id, input, message(err), c.id, c.input, c.err)
		}
	}
	same(t, "one key twice", string(inputOf([]string{"a", "b", "a"}, args("1", "2", "3"))), `{"b":2,"a":3}`)
	same(t, "one key twice, the later absent", string(inputOf([]string{"a", "a"}, args("1"))), `{"a":1}`)
	same(t, "odd keys", string(inputOf([]string{"__proto__", `a"b`}, args("1", "2"))), `{"__proto__":1,"a\"b":2}`)
}

// Contract 8.6; conformance namespaces/values.
func TestNamespaceTree(t *testing.T) {
	t.Parallel()
	v := view(t, ticketTools, "["+tickets+"]", false)
	sameJSON(t, "tree", v.NamespaceTree(), `[{"id":"tickets","globalName":"Tickets","scope":`+ticketScope+`}]`)
	same(t, "globals", v.NamespaceGlobals(), []string{"Tickets"})
	none := view(t, ticketTools, `[]`, false)
	sameJSON(t, "no namespaces", none.NamespaceTree(), `[]`)
}

// Contract 8.4; conformance namespaces/absent-when-not-owned.
func TestNamespaceVisibility(t *testing.T) {
	t.Parallel()
	for tools, visible := range map[string]bool{
		ticketTools: true,
		`[{"source":"openclaw","owner":"desk","name":"ticket_list"}]`:                                                                                    false,
		`[{"source":"openclaw","owner":"desk","name":"ticket_list"},{"source":"openclaw","owner":"other","name":"ticket_update"}]`:                       false,
		`[{"source":"openclaw","owner":"desk","name":"ticket_list"},{"source":"client","owner":"desk","name":"ticket_update"}]`:                          false,
		`[{"source":"openclaw","owner":"desk","name":"ticket_list"},{"source":"openclaw","owner":"desk","name":"ticket_update","directOnly":true}]`:      false,
		`[{"source":"mcp","name":"ticket_list","mcp":{"serverName":"desk","toolName":"a"}},{"source":"openclaw","owner":"desk","name":"ticket_update"}]`: false,
	} {
		v := view(t, tools, "["+tickets+"]", false)
		same(t, tools, len(v.NamespaceGlobals()) == 1, visible)
		if _, _, err := v.Resolve("tickets", []string{"list"}, Args{}); (err == nil) != visible {
			t.Errorf("%s: resolve gives %v", tools, err)
		}
	}
	// An id is not escaped: owner "a:b" with tool "c" is not owner "a" with tool "b:c".
	tricky := ticketNamespace("n", "a", "N", `["b:c"]`, `{"kind":"object","entries":[]}`)
	same(t, "unescaped id", view(t, `[{"source":"openclaw","owner":"a:b","name":"c"}]`, "["+tricky+"]", false).NamespaceGlobals(), []string{})
}

// Contract 8.2, 8.3, 8.5; conformance namespaces/reserved-global.
func TestNamespaceErrors(t *testing.T) {
	t.Parallel()
	empty := `{"kind":"object","entries":[]}`
	ns := func(id, plugin, global, required, scope string) string {
		return "[" + ticketNamespace(id, plugin, global, required, scope) + "]"
	}
	scope := func(entry string) string {
		return ns("a", "p", "A", `["x"]`, `{"kind":"object","entries":[`+entry+`]}`)
	}
	tests := map[string]string{
		ns(" ", "p", "A", `["x"]`, empty):                                             "Code mode namespace id must be non-empty.",
		ns("a", "", "A", `["x"]`, empty):                                              "Code mode namespace pluginId must be non-empty.",
		ns("a", "p", "1A", `["x"]`, empty):                                            "Code mode namespace globalName must be a JavaScript identifier.",
		ns("a", "p", "", `["x"]`, empty):                                              "Code mode namespace globalName must be a JavaScript identifier.",
		ns("a", "p", "a-b", `["x"]`, empty):                                           "Code mode namespace globalName must be a JavaScript identifier.",
		ns("a", "p", "class", `["x"]`, empty):                                         "Code mode namespace globalName must be a JavaScript identifier.",
		ns("a", "p", "A", `[]`, empty):                                                "Code mode namespace requiredToolNames must include at least one tool name.",
		ns("a", "p", "A", `["x"," "]`, empty):                                         "Code mode namespace requiredToolNames must be non-empty strings.",
		ns("mcp", "p", "A", `["x"]`, empty):                                           `Code mode namespace id "mcp" is already registered.`,
		ns("a", "p", "A", `["x"]`, `{"kind":"array","items":[]}`):                     `Code mode namespace "a" createScope must return an object.`,
		ns("a", "p", "A", `["x"]`, `{"kind":"function","toolName":"x"}`):              `Code mode namespace "a" createScope must return an object.`,
		scope(`["",{"kind":"value","value":1}]`):                                      "Invalid code mode namespace path segment: (empty)",
		scope(`["__proto__",{"kind":"value","value":1}]`):                             "Invalid code mode namespace path segment: __proto__",
		scope(`["a",{"kind":"object","entries":[["constructor",{"kind":"value"}]]}]`): "Invalid code mode namespace path segment: constructor",
		scope(`["a",{"kind":"array","items":[{"kind":"object","entries":[["prototype",{"kind":"value"}]]}]}]`): "Invalid code mode namespace path segment: prototype",
		scope(`["a\u0000",{"kind":"value"}]`):            "Invalid code mode namespace path segment: a\x00",
		scope(`["f",{"kind":"function","toolName":""}]`): "Code mode namespace toolName must be non-empty.",
		"[" + ticketNamespace("a", "p", "A", `["x"]`, empty) + "," + ticketNamespace("a", "p", "B", `["x"]`, empty) + "]": `Code mode namespace id "a" is already registered.`,
		"[" + ticketNamespace("a", "p", "A", `["x"]`, empty) + "," + ticketNamespace("b", "p", "A", `["x"]`, empty) + "]": `Code mode namespace globalName "A" is already registered by "a".`,
	}
	for text, want := range map[string]string{
		`[{"id":5,"pluginId":"p"}]`:                                                          "Code mode namespace id must be non-empty.",
		`[{"id":"a","pluginId":["p"]}]`:                                                      "Code mode namespace pluginId must be non-empty.",
		`[{"id":"a","pluginId":"p","globalName":7}]`:                                         "Code mode namespace globalName must be a JavaScript identifier.",
		`[{"id":"a","pluginId":"p","globalName":"A","requiredToolNames":"x"}]`:               "Code mode namespace requiredToolNames must include at least one tool name.",
		`[{"id":"a","pluginId":"p","globalName":"A","requiredToolNames":["x",1]}]`:           "Code mode namespace requiredToolNames must be non-empty strings.",
		`[{"id":"a","pluginId":"p","globalName":"A","requiredToolNames":["x"]}]`:             `Code mode namespace "a" createScope must return an object.`,
		`[{"id":"a","pluginId":"p","globalName":"A","requiredToolNames":["x"],"scope":"x"}]`: `Code mode namespace "a" createScope must return an object.`,
		scope(`["f",{"kind":"function","toolName":5}]`):                                      "Code mode namespace toolName must be non-empty.",
	} {
		tests[text] = want
	}
	for _, g := range strings.Fields(`tools ALL_TOOLS API MCP namespaces text json yield_control agents phase log console setTimeout clearTimeout
		queueMicrotask structuredClone TextEncoder TextDecoder atob btoa URL URLSearchParams require module process Object Array Promise JSON
		Math globalThis undefined eval Uint8Array Float16Array WeakRef Reflect toString __proto__ __openclaw __openclawX`) {
		tests[ns("a", "p", g, `["x"]`, empty)] = `Code mode namespace globalName "` + g + `" is reserved.`
	}
	for text, want := range tests {
		list, err := DecodeNamespaces(json.RawMessage(text))
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		_, err = decode(t, `[]`).ForRun(list, false)
		refused(t, err, want)
	}
	for _, scope := range []protocol.Node{{Kind: "value", Value: []byte("\"\xff\"")}, {Kind: "value", Value: []byte("{")}, {Kind: "other"}} {
		n := protocol.Namespace{ID: "a", PluginID: "p", GlobalName: "A", RequiredToolNames: []string{"x"},
			Scope: protocol.Node{Kind: "object", Entries: []protocol.NodeEntry{{Key: "k", Node: scope}}}}
		if _, err := decode(t, `[]`).ForRun([]protocol.Namespace{n}, false); err == nil {
			t.Errorf("%s %q is accepted", scope.Kind, scope.Value)
		}
	}
	good := ns("a", "p", "Ünïcode$_1", `["x"]`, empty)
	view(t, `[]`, good, true)
	deep := scope(`["a",` + strings.Repeat(`{"kind":"array","items":[`, 600) + `{"kind":"value"}` + strings.Repeat(`]}`, 600) + `]`)
	_, err := DecodeNamespaces(json.RawMessage(deep))
	if err == nil || !strings.Contains(err.Error(), "nested more than 512 levels") {
		t.Errorf("a deep scope gives %v", err)
	}
}

// A run's own namespaces come after the catalogue's and must not clash with them (protocol 3).
func TestRunNamespaces(t *testing.T) {
	t.Parallel()
	c, err := Decode([]byte(`{"tools":` + ticketTools + `,"namespaces":[` + tickets + `]}`))
	if err != nil {
		t.Fatal(err)
	}
	own := func(id, global string) (*View, error) {
		list, err := DecodeNamespaces(json.RawMessage("[" + ticketNamespace(id, "desk", global, `["ticket_list"]`, ticketScope) + "]"))
		if err != nil {
			t.Fatal(err)
		}
		return c.ForRun(list, false)
	}
	if without := decode(t, ticketTools); c.Bytes() <= without.Bytes() {
		t.Errorf("%d bytes with namespaces, %d without", c.Bytes(), without.Bytes())
	}
	v, err := own("mine", "Mine")
	if err != nil {
		t.Fatal(err)
	}
	same(t, "globals", v.NamespaceGlobals(), []string{"Tickets", "Mine"})
	_, err = own("tickets", "Mine")
	refused(t, err, `Code mode namespace id "tickets" is already registered.`)
	_, err = own("mine", "Tickets")
	refused(t, err, `Code mode namespace globalName "Tickets" is already registered by "tickets".`)
	other, err := c.ForRun(nil, false)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "another run does not see them", other.NamespaceGlobals(), []string{"Tickets"})

	bad, err := Decode([]byte(`{"tools":[],"namespaces":[` + ticketNamespace("x", "p", "tools", `["a"]`, `{"kind":"object"}`) + `]}`))
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		_, err = bad.ForRun(nil, false)
		refused(t, err, `Code mode namespace globalName "tools" is reserved.`)
	}
}
