package catalog

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"codemode/protocol"
)

var (
	configOn = protocol.ResolveConfig(nil)
	swarmOn  = protocol.ResolveSwarm(json.RawMessage("true"))
)

const surfaceTools = `[
 {"source":"openclaw","owner":"fake","name":"zeta_tool","description":"Secret prose of zeta.","parameters":{"type":"object","properties":{"n":{"type":"number"}},"required":["n"],"additionalProperties":false}},
 {"source":"openclaw","owner":"fake","name":"alpha_tool","description":"Secret prose of alpha.","parameters":{"type":"object","properties":{"value":{"type":"string"}},"required":[],"additionalProperties":false},
  "outputSchema":{"type":"array","items":{"type":"object","properties":{"id":{"type":"string"},"score":{"type":"number"}},"required":["id","score"],"additionalProperties":false}}},
 {"source":"openclaw","name":"computer","label":"Computer","description":"Uses the screen.","parameters":{"type":"object","properties":{"x":{"type":"number"}}},"directOnly":true},
 {"source":"openclaw","name":"image","directOnly":true}]`

func surface(t testing.TB, c *Catalog, swarm protocol.Swarm, namespaces string) []protocol.ToolDefinition {
	t.Helper()
	list, err := DecodeNamespaces(json.RawMessage(namespaces))
	if err != nil {
		t.Fatal(err)
	}
	tools, active, err := Surface(configOn, swarm, c, list)
	if err != nil || !active {
		t.Fatalf("active %v, %v", active, err)
	}
	return tools
}

// Contract 3.2, 3.4, 3.5; conformance config/surface.
func TestSurface(t *testing.T) {
	t.Parallel()
	tools := surface(t, decode(t, surfaceTools), protocol.Swarm{}, "")
	var toolNames, labels []string
	var hidden []bool
	for _, d := range tools {
		toolNames, labels, hidden = append(toolNames, d.Name), append(labels, d.Label), append(hidden, d.HiddenFromProgress)
	}
	same(t, "names", toolNames, []string{"exec", "wait", "computer", "image"})
	same(t, "labels", labels, []string{"exec", "wait", "Computer", ""})
	same(t, "hidden", hidden, []bool{false, true, false, false})
	same(t, "direct-only tool", []string{tools[2].Description, string(tools[2].Parameters), string(tools[3].Parameters)},
		[]string{"Uses the screen.", `{"type":"object","properties":{"x":{"type":"number"}}}`, `{"type":"object","properties":{}}`})
	for _, want := range []string{`- "openclaw:fake:alpha_tool" { value?: string } -> Array<{ id: string; score: number }>`, `- "openclaw:fake:zeta_tool" { n: number } -> ?`} {
		if !strings.Contains(tools[0].Description, want) {
			t.Errorf("no %s", want)
		}
	}
	text, err := protocol.Marshal(tools)
	if err != nil {
		t.Fatal(err)
	}
	for _, none := range []string{"Secret prose", "MCP.", "anyOf", "oneOf", `\u003`} {
		if strings.Contains(string(text), none) {
			t.Errorf("the surface contains %s", none)
		}
	}

	exec := value(t, tools[0].Parameters).(map[string]any)
	props := exec["properties"].(map[string]any)
	same(t, "exec keys", []any{exec["type"], exec["required"], len(props)}, []any{"object", nil, 4})
	same(t, "language", []any{props["language"].(map[string]any)["type"], props["language"].(map[string]any)["enum"]}, []any{"string", []any{"javascript", "typescript"}})
	code := props["code"].(map[string]any)["description"].(string)
	for _, want := range []string{"complete workflow", "ALL_TOOLS", "tools.search", "a string, not an object", "Promise.all", "Return the final value", "Node built-ins"} {
		if !strings.Contains(code, want) {
			t.Errorf("code does not say %s", want)
		}
	}
	if len(code) >= 320 || !strings.Contains(props["command"].(map[string]any)["description"].(string), "Not a shell command") || props["restartSafe"].(map[string]any)["type"] != "boolean" {
		t.Errorf("exec schema %s", tools[0].Parameters)
	}
	sameJSON(t, "wait", []byte(strings.Replace(string(tools[1].Parameters), `,"description":"The runId of the exec or wait result with status waiting."`, "", 1)),
		`{"type":"object","properties":{"runId":{"type":"string"}},"required":["runId"]}`)
}

// Contract 3.1: what activates code mode.
func TestActivation(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		config string
		c      *Catalog
		want   bool
	}{
		{"enabled", `true`, decode(t, surfaceTools), true},
		{"disabled", `false`, decode(t, surfaceTools), false},
		{"object without enabled", `{"timeoutMs":1234}`, decode(t, surfaceTools), false},
		{"no tools", `true`, decode(t, `[]`), false},
		{"controls only", `true`, decode(t, `[{"source":"openclaw","name":"exec","control":true},{"source":"openclaw","name":"tool_search"}]`), false},
		{"direct-only alone", `true`, decode(t, `[{"source":"openclaw","name":"image","directOnly":true}]`), true},
		{"MCP alone", `true`, decode(t, githubTools), true},
		{"unknown", `true`, nil, true},
		{"unknown and disabled", `false`, nil, false},
	} {
		tools, active, err := Surface(protocol.ResolveConfig(json.RawMessage(c.config)), protocol.Swarm{}, c.c, nil)
		if err != nil || active != c.want || active != (len(tools) >= 2) {
			t.Errorf("%s: %d tools, active %v, %v", c.name, len(tools), active, err)
		}
	}
	list, err := DecodeNamespaces(json.RawMessage("[" + ticketNamespace("a", "p", "tools", `["x"]`, `{"kind":"object"}`) + "]"))
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = Surface(configOn, protocol.Swarm{}, decode(t, surfaceTools), list)
	refused(t, err, `Code mode namespace globalName "tools" is reserved.`)
}

// Contract 3.6.
func TestExecDescription(t *testing.T) {
	t.Parallel()
	const api, mcp, swarm, ns = "API.read(path)", "MCP.<server>.<tool>(", "agents.run", "namespaces.<name>"
	for _, c := range []struct {
		name   string
		tools  string
		ns     string
		swarm  protocol.Swarm
		parts  []string
		absent []string
	}{
		{"plain", surfaceTools, "", protocol.Swarm{}, nil, []string{api, mcp, swarm, ns}},
		{"MCP", githubTools, "", protocol.Swarm{}, []string{api, mcp}, []string{swarm, ns, "createIssue", "create_issue", "title"}},
		{"swarm", surfaceTools, "", swarmOn, []string{api, swarm, "phase", "log", "agents.d.ts"}, []string{mcp, ns}},
		{"namespace", ticketTools, "[" + tickets + "]", protocol.Swarm{}, []string{ns, "\n\nNamespaces:\n- Tickets: Ticket lookup helpers.\n\n"}, []string{api, mcp, swarm}},
		{"invisible namespace", surfaceTools, "[" + tickets + "]", protocol.Swarm{}, nil, []string{ns, "Tickets"}},
		{"unknown", "", "", swarmOn, []string{api, mcp, swarm, ns}, []string{"quick index", "Namespaces:"}},
		{"client tools alone", `[{"source":"client","name":"x"}]`, "", protocol.Swarm{}, nil, []string{"quick index", api}},
	} {
		var cat *Catalog
		if c.tools != "" {
			cat = decode(t, c.tools)
		}
		text := surface(t, cat, c.swarm, c.ns)[0].Description
		always := []string{"Use `return` to pass the final value back", "Node.js modules", "`require`/`import` are NOT available",
			"enabled catalog tools allowed by policy", "Never invent or transform a tool id", `"javascript" or "typescript"`, "returns its JSON value directly", "ALL_TOOLS",
			"tools.search(query: string, options?)", "tools.describe(id: string)", "tools.callValue(id: string, args?)", "tools.call(id: string, args?)", "never a shell command"}
		for _, want := range append(always, c.parts...) {
			if !strings.Contains(text, want) {
				t.Errorf("%s: no %q in %s", c.name, want, text)
			}
		}
		for _, none := range c.absent {
			if strings.Contains(text, none) {
				t.Errorf("%s: %q in %s", c.name, none, text)
			}
		}
		if head, _, _ := strings.Cut(text, "\n\n"); characters(head) >= 2400 {
			t.Errorf("%s: %d characters", c.name, characters(head))
		}
	}
}

// Contract 8.8.
func TestNamespacePrompt(t *testing.T) {
	t.Parallel()
	prompt := strings.Replace(tickets, `"description"`, `"prompt":"Always list first.","description"`, 1)
	v := view(t, strings.TrimSuffix(ticketTools, "]")+","+mcpEntry("zeta", "a", "", "")+","+mcpEntry("beta-x", "a", "", "")+"]", "["+prompt+"]", false)
	text := v.namespacePrompt()
	if !strings.Contains(text, "visible servers: betaX, zeta") || !strings.HasSuffix(text, "\n- Tickets: Ticket lookup helpers.\nAlways list first.") ||
		!strings.Contains(text, "mcp/index.d.ts") || strings.Contains(text, "of zeta") {
		t.Errorf("prompt is %s", text)
	}
}

func indexTools(count, nameLength int) string {
	var tools []string
	for i := range count {
		tools = append(tools, fmt.Sprintf(`{"source":"openclaw","owner":"p","name":"%0*d","description":"Secret"}`, nameLength, i))
	}
	return "[" + strings.Join(tools, ",") + "]"
}

// Contract 3.7.
func TestQuickIndex(t *testing.T) {
	t.Parallel()
	same(t, "no native tools", quickIndex(decode(t, githubTools).visible), "")
	block := quickIndex(decode(t, strings.TrimSuffix(surfaceTools, "]")+`,{"source":"client","name":"pick"},`+mcpEntry("github", "x", "", "")+`]`).visible)
	lines := strings.Split(block, "\n")
	same(t, "lines", len(lines), 8)
	for i, want := range []string{"OpenClaw/plugin tool quick index (", "Each line is `id input -> output`;", "OUTPUT DECLARED RULE:", "OUTPUT UNKNOWN RULE:",
		`- "openclaw:fake:alpha_tool" { value?: string } -> Array<`, `- "openclaw:fake:zeta_tool" { n: number } -> ?`, "",
		"Use these exact ids with tools.callValue; use ALL_TOOLS or tools.search inside exec when lookup is ambiguous."} {
		if !strings.HasPrefix(lines[i], want) || want == "" && lines[i] != "" {
			t.Errorf("line %d is %q, want %q", i, lines[i], want)
		}
	}
	if !strings.Contains(lines[1], "-> ?") || strings.Contains(block, "pick") || strings.Contains(block, "Secret") {
		t.Errorf("block is %s", block)
	}
	same(t, "sorted by id", quickIndex(decode(t, simpleTools("b", "", "a", "")).visible), quickIndex(decode(t, simpleTools("a", "", "b", "")).visible))
}

// Contract 3.7: the block's bound, the footers, and lines too long for themselves.
func TestQuickIndexBound(t *testing.T) {
	t.Parallel()
	small := 0 // the most tools of this size without an omission
	for n := 150; n < 250; n += 3 {
		block := quickIndex(decode(t, indexTools(n, 10)).visible)
		if characters(block) > maxQuickIndex {
			t.Fatalf("%d tools: %d characters", n, characters(block))
		}
		shown := strings.Count(block, "\n- ")
		switch {
		case strings.HasSuffix(block, footerAll):
			same(t, "shown", shown, n)
			small = n
		case !strings.HasSuffix(block, fmt.Sprintf("\n\n%d additional OpenClaw/plugin tools omitted from this prompt index. Use ALL_TOOLS or tools.search inside exec to find them.", n-shown)):
			t.Fatalf("%d tools: block ends %q", n, block[len(block)-160:])
		}
	}
	if small < 150 {
		t.Errorf("no block is complete: %d", small)
	}
	long := decode(t, `[{"source":"openclaw","owner":"p","name":"a`+strings.Repeat("x", 8000)+`"},{"source":"openclaw","owner":"p","name":"b"},{"source":"client","name":"c"}]`)
	block := quickIndex(long.visible)
	if !strings.Contains(block, `- "openclaw:p:b" unknown -> ?`) || !strings.Contains(block, "\n1 additional ") || strings.Contains(block, "xxx") {
		t.Errorf("block is %.300s", block)
	}
	wide := quickIndex(decode(t, `[{"source":"openclaw","owner":"p","name":"`+strings.Repeat("é", 4000)+`"}]`).visible)
	if !strings.Contains(wide, "éé") { // characters, not bytes
		t.Error("a line of 4000 characters does not fit")
	}
}

// Contract 3.8.
func TestVerifySurface(t *testing.T) {
	t.Parallel()
	const head = "Code mode payload tool surface violation: expected exec,wait"
	for _, c := range []struct {
		names []string
		want  string
	}{
		{[]string{"exec", "wait"}, ""}, {[]string{"wait", "image", "exec"}, ""},
		{nil, head + "; got no tools"},
		{[]string{}, head + " plus direct-only tools; got none"},
		{[]string{"exec"}, head + " plus direct-only tools; got exec"},
		{[]string{"exec", "wait", "wait"}, head + " plus direct-only tools; got exec,wait,wait"},
		{[]string{"exec", "wait", "image", "image"}, head + " plus direct-only tools; got exec,wait,image,image"},
		{[]string{"exec", "wait", "read"}, head + " plus direct-only tools; got exec,wait,read"},
	} {
		same(t, strings.Join(c.names, ","), message(VerifySurface(c.names, []string{"image", "computer"})), c.want)
	}
	kept := KeepSurface([]string{"read", "exec", "image", "tool_search", "wait"}, []string{"image"})
	if !slices.Equal(kept, []string{"exec", "image", "wait"}) || VerifySurface(kept, []string{"image"}) != nil {
		t.Errorf("kept %q", kept)
	}
	same(t, "nothing kept", message(VerifySurface(KeepSurface([]string{"read"}, nil), nil)), head+" plus direct-only tools; got none")
}
