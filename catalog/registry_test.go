package catalog

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"math/big"
	"reflect"
	"strings"
	"testing"

	"codemode/protocol"
)

func toolMark(t testing.TB, name string, params ...string) ToolMark {
	t.Helper()
	m, err := NewNamespaceTool(name, params...)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func fixedScope(scope any) func(context.Context, RunContext) (any, error) {
	return func(context.Context, RunContext) (any, error) { return scope, nil }
}

func registration(id, global string) Registration {
	return Registration{ID: id, GlobalName: global, RequiredToolNames: []string{"ticket_list"}, CreateScope: fixedScope(Object{})}
}

// Contract 8.2: the errors of a registration.
func TestRegisterErrors(t *testing.T) {
	t.Parallel()
	var r Registry
	if err := r.Register("desk", registration("tickets", "Tickets")); err != nil {
		t.Fatal(err)
	}
	with := func(change func(*Registration)) Registration {
		n := registration("a", "A")
		change(&n)
		return n
	}
	for _, c := range []struct {
		plugin string
		n      Registration
		want   string
	}{
		{"desk", registration("", "A"), "Code mode namespace id must be non-empty."},
		{" ", registration("a", "A"), "Code mode namespace pluginId must be non-empty."},
		{"desk", registration("a", "a-b"), "Code mode namespace globalName must be a JavaScript identifier."},
		{"desk", registration("a", "tools"), `Code mode namespace globalName "tools" is reserved.`},
		{"desk", registration("a", "__openclaw1"), `Code mode namespace globalName "__openclaw1" is reserved.`},
		{"desk", with(func(n *Registration) { n.CreateScope = nil }), "Code mode namespace createScope must be a function."},
		{"desk", with(func(n *Registration) { n.RequiredToolNames = nil }), "Code mode namespace requiredToolNames must include at least one tool name."},
		{"desk", with(func(n *Registration) { n.RequiredToolNames = []string{""} }), "Code mode namespace requiredToolNames must be non-empty strings."},
		{"other", registration("tickets", "A"), `Code mode namespace id "tickets" is already registered.`},
		{"other", registration("mcp", "A"), `Code mode namespace id "mcp" is already registered.`},
		{"other", registration("a", "Tickets"), `Code mode namespace globalName "Tickets" is already registered by "tickets".`},
	} {
		same(t, c.want, message(r.Register(c.plugin, c.n)), c.want)
	}
	_, err := NewNamespaceTool(" ")
	same(t, "blank tool", message(err), "Code mode namespace toolName must be non-empty.")
}

// Contract 8.2, 8.4: the life of registrations.
func TestRegistryLife(t *testing.T) {
	t.Parallel()
	var r Registry
	c := decode(t, strings.TrimSuffix(ticketTools, "]")+`,{"source":"openclaw","owner":"shop","name":"ticket_list"}]`)
	var seen RunContext
	n := registration("tickets", "Tickets")
	n.Description, n.Prompt = "Help.", "Use it."
	n.CreateScope = func(_ context.Context, run RunContext) (any, error) {
		seen = run
		return map[string]any{"list": toolMark(t, "ticket_list"), "agent": run.AgentID}, nil
	}
	hidden := registration("hidden", "Hidden")
	hidden.CreateScope = func(context.Context, RunContext) (any, error) {
		t.Error("the scope of an invisible namespace was made")
		return nil, nil
	}
	for plugin, n := range map[string]Registration{"desk": n, "elsewhere": hidden, "shop": registration("shop", "Shop")} {
		if err := r.Register(plugin, n); err != nil {
			t.Fatal(err)
		}
	}
	run := RunContext{AgentID: "main", SessionKey: "k", SessionID: "s", RunID: "r", Config: configOn}
	list := func() []string {
		out, err := r.Namespaces(t.Context(), run, c)
		if err != nil {
			t.Fatal(err)
		}
		found := []string{}
		for _, n := range out {
			found = append(found, n.ID)
			if n.ID != "tickets" {
				continue
			}
			want := protocol.Namespace{ID: "tickets", PluginID: "desk", GlobalName: "Tickets", Description: "Help.", Prompt: "Use it.", RequiredToolNames: []string{"ticket_list"},
				Scope: protocol.Node{Kind: "object", Entries: []protocol.NodeEntry{{Key: "agent", Node: leaf(`"main"`)}, {Key: "list", Node: protocol.Node{Kind: "function", ToolName: "ticket_list"}}}}}
			same(t, "descriptor", n, want)
			if _, err := c.ForRun(out, false); err != nil {
				t.Errorf("the worker refuses it: %v", err)
			}
		}
		return found
	}
	if got := list(); len(got) != 2 {
		t.Errorf("visible: %q", got)
	}
	same(t, "run context", seen, run)
	r.Clear("desk")
	same(t, "after clearing one plugin", list(), []string{"shop"})
	if err := r.Register("desk", n); err != nil {
		t.Errorf("a cleared id is still taken: %v", err)
	}
	r.ClearAll()
	same(t, "after clearing all", list(), []string{})

	broken := registration("b", "B")
	failure := errors.New("no client")
	broken.CreateScope = func(context.Context, RunContext) (any, error) { return nil, failure }
	if err := r.Register("desk", broken); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Namespaces(t.Context(), run, c); !errors.Is(err, failure) {
		t.Errorf("error %v", err)
	}
}

type throwing struct{}

func (throwing) MarshalJSON() ([]byte, error) { return nil, errors.New("no json") }

// Contract 8.5: what becomes of the values of a scope.
func TestSerialiseScope(t *testing.T) {
	t.Parallel()
	shared := map[string]any{"x": 1}
	number := 7
	scope := Object{
		{"z", "text"}, {"a", []any{true, nil, 2.5}}, {"shared", shared}, {"again", []any{shared, shared}}, {"nan", math.NaN()}, {"inf", float32(math.Inf(1))},
		{"big", big.NewInt(1 << 60)}, {"raw", json.RawMessage(`{"k":[1]}`)}, {"err", errors.New("broken")}, {"bytes", []byte{1, 255}}, {"ptr", &number}, {"none", (*int)(nil)},
		{"bad", throwing{}}, {"chan", make(chan int)}, {"html", "<&>"}, {"call", toolMark(t, "t", "a", "b")}, {"plain", toolMark(t, "t")}, {"empty", Object{}}, {"ints", map[int]string{1: "a"}},
		{"struct", struct {
			A int `json:"a"`
		}{5}},
	}
	node, err := serialiseScope("n", scope)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	var order []string
	for _, e := range node.Entries {
		order = append(order, e.Key)
		got[e.Key] = string(appendNode(nil, &e.Node))
	}
	same(t, "first keys", order[:3], []string{"z", "a", "shared"})
	v := func(text string) string { return `{"kind":"value","value":` + text + `}` }
	object := `{"kind":"object","entries":[["x",` + v("1") + `]]}`
	for key, want := range map[string]string{
		"z": v(`"text"`), "a": `{"kind":"array","items":[` + v("true") + "," + v("null") + "," + v("2.5") + "]}", "shared": object, "again": `{"kind":"array","items":[` + object + "," + object + "]}",
		"nan": v("null"), "inf": v("null"), "big": v(`"1152921504606846976"`), "raw": v(`{"k":[1]}`), "err": v(`{"message":"broken","name":"Error"}`),
		"bytes": `{"kind":"array","items":[` + v("1") + "," + v("255") + "]}", "ptr": v("7"), "none": v("null"), "html": v(`"<&>"`), "empty": `{"kind":"object","entries":[]}`,
		"call": `{"kind":"function","toolName":"t","params":["a","b"]}`, "plain": `{"kind":"function","toolName":"t"}`, "ints": v(`{"1":"a"}`), "struct": v(`{"a":5}`),
	} {
		same(t, key, got[key], want)
	}
	for _, key := range []string{"bad", "chan"} {
		if !strings.HasPrefix(got[key], `{"kind":"value","value":"[Unserializable: `) {
			t.Errorf("%s is %s", key, got[key])
		}
	}
}

func TestSerialiseScopeErrors(t *testing.T) {
	t.Parallel()
	circular := map[string]any{}
	circular["a"] = []any{circular}
	root := Object{{"self", nil}}
	root[0].Value = root
	loop := []any{nil}
	loop[0] = loop
	deep := any("x")
	for range 600 {
		deep = []any{deep}
	}
	for _, c := range []struct {
		scope any
		want  string
	}{
		{nil, `Code mode namespace "n" createScope must return an object.`},
		{[]any{}, `Code mode namespace "n" createScope must return an object.`},
		{"x", `Code mode namespace "n" createScope must return an object.`},
		{ToolMark{"t", nil}, `Code mode namespace "n" createScope must return an object.`},
		{func() {}, "Code mode namespace function at (root) must be created with createCodeModeNamespaceTool."},
		{Object{{"a", map[string]any{"b": func() {}}}}, "Code mode namespace function at a.b must be created with createCodeModeNamespaceTool."},
		{circular, "Circular code mode namespace scope at a.0."},
		{root, "Circular code mode namespace scope at self."},
		{Object{{"l", loop}}, "Circular code mode namespace scope at l.0."},
		{Object{{"", 1}}, "Invalid code mode namespace path segment: (empty)"},
		{Object{{"a", Object{{"__proto__", 1}}}}, "Invalid code mode namespace path segment: __proto__"},
		{map[string]any{"constructor": 1}, "Invalid code mode namespace path segment: constructor"},
		{map[string]any{"a\x00": 1}, "Invalid code mode namespace path segment: a\x00"},
		{Object{{"f", ToolMark{}}}, "Code mode namespace toolName must be non-empty."},
		{Object{{"d", deep}}, "Code mode namespace scope is nested more than 512 levels."},
	} {
		node, err := serialiseScope("n", c.scope)
		same(t, c.want, message(err), c.want)
		if err == nil {
			t.Errorf("%v gives %v", reflect.TypeOf(c.scope), node)
		}
	}
}
