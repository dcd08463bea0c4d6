package catalog

import (
	"strings"
	"testing"
)

const githubFile = `type McpToolResult = { content?: unknown[]; structuredContent?: unknown; isError?: boolean; [key: string]: unknown };
declare namespace MCP.github {
  /** Return this TypeScript-style API header. */
  function $api(toolName?: string, options?: { schema?: boolean }): Promise<McpApiHeader>;
  /**
   * create_issue of github.
   * @param title Title of the issue
   * @param body? Default: "".
   */
  function createIssue(input: {
    title: string;
    body?: string;
    labels?: string[];
  }): Promise<McpToolResult>;
  /**
   * list_issues of github.
   */
  function listIssues(input?: Record<string, never>): Promise<McpToolResult>;
}
`

func read(t testing.TB, v *View, path string) string {
	t.Helper()
	text, err := v.APIRead(path)
	if err != nil {
		t.Fatalf("read %s: %v", path, err)
	}
	return value(t, text).(map[string]any)["content"].(string)
}

// Contract 7.4; conformance mcp/declaration.
func TestDeclarationFiles(t *testing.T) {
	t.Parallel()
	v := view(t, strings.TrimSuffix(githubTools, "]")+","+mcpEntry("chrome-devtools", "snap", "", "")+"]", "", false)
	same(t, "server file", read(t, v, "mcp/github.d.ts"), githubFile)
	same(t, "index", read(t, v, "mcp/index.d.ts"), `/// <reference path="./chromeDevtools.d.ts" />
/// <reference path="./github.d.ts" />

`+headerType+`
declare const MCP: {
  /** List the visible MCP servers. */
  $api(): Promise<McpApiHeader>;
  readonly chromeDevtools: typeof MCP.chromeDevtools;
  readonly github: typeof MCP.github;
};
`)
}

// Contract 7.4; conformance mcp/declaration-types, mcp/resources-prompts.
func TestDeclaredTypes(t *testing.T) {
	t.Parallel()
	measure := `{"type":"object","properties":{"extra":{"type":"object"},"mode":{"enum":["fast","slow",3]},"count":{"type":"integer"},
	 "tags":{"type":"array","items":{"type":["string","number"]}},"when":{"oneOf":[{"type":"string"},{"type":"null"}]},"any":{},"bool":true,
	 "flag":{"type":"boolean","default":false,"description":"Turn it\n  on */ now"},"list":{"type":"array"},"grid":{"type":"array","items":{"type":"array","items":{"type":"boolean"}}},
	 "rows":{"type":"array","items":{"type":"object","properties":{"a":{"type":["string","null"]}}}},
	 "one":{"anyOf":[{"type":"array","items":{"enum":[1,2]}}]},"obj":{"enum":[{"a":1}],"type":"string"},"both":{"oneOf":[],"anyOf":[{"type":"null"}]},
	 "where":{"type":"object","properties":{"x":{"type":"number"},"y-z":{"type":"number"},"__proto__":{"type":"null"}},"required":["y-z"]},"ref":{"$ref":"#"}},"required":["mode","ghost"]}`
	v := view(t, "["+mcpEntry("lab", "measure", "", measure)+","+mcpEntry("lab", "opt", "", `{"properties":{"a":{"type":"string"}}}`)+","+
		mcpEntry("lab", "r", "resources_read", "")+","+mcpEntry("lab", "l", "resources_list", "")+","+mcpEntry("lab", "p", "prompts_get", "")+"]", "", false)
	content := read(t, v, "mcp/lab.d.ts")
	for _, want := range []string{
		`  function measure(input: {
    mode: "fast" | "slow" | 3;
    ghost: unknown;
    extra?: Record<string, unknown>;
    count?: number;
    tags?: (string | number)[];
    when?: string | null;
    any?: unknown;
    bool?: unknown;
    flag?: boolean;
    list?: unknown[];
    grid?: boolean[][];
    rows?: { a?: string | null }[];
    one?: (1 | 2)[];
    obj?: string;
    both?: null;
    where?: { "y-z": number; x?: number; __proto__?: null };
    ref?: unknown;
  }): Promise<McpToolResult>;
`,
		"   * measure of lab.\n   * @param flag? Turn it on * / now Default: false.\n   */",
		"  function opt(input?: {\n    a?: string;\n  }): Promise<McpToolResult>;\n  namespace prompts {\n",
		"  namespace resources {\n    /**\n     * l of lab.\n     */\n    function list(input?: Record<string, never>): Promise<McpToolResult>;\n",
	} {
		if !strings.Contains(content, want) {
			t.Errorf("no %s in %s", want, content)
		}
	}
	if strings.Index(content, "function list(") > strings.Index(content, "function read(") {
		t.Error("members are not in order of method")
	}
}

// Contract 7.4: comments are bounded and cannot be left.
func TestComments(t *testing.T) {
	t.Parallel()
	same(t, "lines", commentLines("a\r\n\n  b  \u2028c"), []string{"a", "b", "c"})
	same(t, "at most", len(commentLines(strings.Repeat("x\n", 50))), 12)
	var b strings.Builder
	writeComment(&b, "", "", nil)
	same(t, "no comment for nothing", b.String(), "")
	v := view(t, `[{"source":"mcp","name":"x","description":"Ends */ here **/","parameters":{"properties":{"a*/\nb":{"description":"p */"}}},"mcp":{"serverName":"s","toolName":"x"}}]`, "", false)
	content := read(t, v, "mcp/s.d.ts")
	for _, want := range []string{"   * Ends * / here ** /\n", "   * @param a* / b? p * /\n"} {
		if !strings.Contains(content, want) {
			t.Errorf("no %q in %s", want, content)
		}
	}
}

// Contract 17: hostile schemas cost what their size costs and no more.
func TestHostileDeclarations(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat(`{"type":"object","properties":{"a":`, 3000) + `{}` + strings.Repeat(`}}`, 3000)
	wide := `{"anyOf":[` + strings.TrimSuffix(strings.Repeat(`{"type":"object","properties":{"a":{"type":"string"}}},`, 5000), ",") + `]}`
	v := view(t, "["+mcpEntry("s", "deep", "", deep)+","+mcpEntry("s", "wide", "", `{"properties":{"w":`+wide+`}}`)+","+mcpEntry("s", "odd", "", `"text"`)+"]", "", false)
	content := read(t, v, "mcp/s.d.ts")
	if len(content) > 4000 || !strings.Contains(content, "w?: unknown;") || strings.Count(content, "{ a?: ") > maxTypeDepth+1 {
		t.Errorf("%d bytes of declarations", len(content))
	}
}

// Contract 5.6; conformance mcp/api-files, swarm/off.
func TestAPI(t *testing.T) {
	t.Parallel()
	off, mcp, both := view(t, `[]`, "", false), view(t, githubTools, "", false), view(t, githubTools, "", true)
	paths := func(v *View, prefix string) []string {
		list := []string{}
		text, err := v.APIList(prefix)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range value(t, text).(map[string]any)["files"].([]any) {
			file := f.(map[string]any)
			list = append(list, file["path"].(string))
			content := read(t, v, file["path"].(string))
			if int(file["bytes"].(float64)) != len(content) || file["description"] == "" {
				t.Errorf("%v does not fit its content of %d bytes", file, len(content))
			}
		}
		return list
	}
	same(t, "nothing to show", paths(off, ""), []string{})
	same(t, "MCP", paths(mcp, " "), []string{"mcp/index.d.ts", "mcp/github.d.ts"})
	same(t, "swarm first", paths(both, ""), []string{"agents.d.ts", "mcp/index.d.ts", "mcp/github.d.ts"})
	for _, prefix := range []string{"mcp", "mcp/", "mcp//", " mcp/ "} {
		same(t, "below "+prefix, len(paths(both, prefix)), 2)
	}
	same(t, "a file", paths(both, "mcp/github.d.ts"), []string{"mcp/github.d.ts"})
	same(t, "part of a name", paths(both, "mc"), []string{})
	sameJSON(t, "read", mustRead(t, both, " /agents.d.ts "), `{"path":"agents.d.ts","description":`+quoted(agentsFile.description)+`,"bytes":`+number(len(agentsFile.content))+`,"content":`+quoted(agentsFile.content)+`}`)
	for path, want := range map[string]string{
		"": "invalid API file path", " / ": "invalid API file path", "mcp//github.d.ts": "invalid API file path", "mcp/../x": "invalid API file path",
		"./mcp": "invalid API file path", "mcp/": "invalid API file path", "mcp/nope.d.ts": "Unknown API file: mcp/nope.d.ts",
		"mcp": "Unknown API file: mcp", "/mcp/github": "Unknown API file: mcp/github", "github.d.ts": "Unknown API file: github.d.ts",
		"agents.d.ts": "Unknown API file: agents.d.ts", "__proto__": "Unknown API file: __proto__",
	} {
		_, err := mcp.APIRead(path)
		same(t, "read "+path, message(err), want)
	}
}

// Contract 7.3; conformance mcp/keywords, mcp/name-collisions.
func TestDollarAPI(t *testing.T) {
	t.Parallel()
	docs := []string{mcpEntry("docs", "l", "resources_list", ""), mcpEntry("docs", "g", "prompts_get", "")}
	v := view(t, strings.TrimSuffix(githubTools, "]")+","+strings.Join(docs, ",")+"]", "", false)
	call := func(server, selector string, schema bool) map[string]any {
		text, err := v.DollarAPI(server, selector, schema)
		if err != nil {
			t.Fatal(err)
		}
		return value(t, text).(map[string]any)
	}
	root := call("", "", false)
	same(t, "servers", root["servers"], value(t, []byte(`[{"identifier":"docs","serverName":"Raw docs","toolCount":2},{"identifier":"github","serverName":"Raw github","toolCount":2}]`)))
	same(t, "root", []any{root["kind"], root["scope"], strings.Contains(root["header"].(string), "readonly github: typeof MCP.github;")}, []any{"mcp_api", "root", true})

	server := call("github", " ", false)
	same(t, "header", server["header"], any(githubFile))
	_, hasSchemas := server["schemas"]
	same(t, "scope", []any{server["scope"], hasSchemas, len(server["tools"].([]any))}, []any{"server", false, 2})
	same(t, "server", server["server"], value(t, []byte(`{"identifier":"github","serverName":"Raw github"}`)))

	for _, selector := range []string{"createIssue", "create_issue", " createIssue "} {
		one := call("github", selector, true)
		same(t, "scope of "+selector, one["scope"], any("tool"))
		same(t, "tools of "+selector, one["tools"], value(t, []byte(`[{"method":"createIssue","path":["createIssue"],"mcpTool":"create_issue","operation":"tool","description":"create_issue of github."}]`)))
		same(t, "schemas of "+selector, one["schemas"], value(t, []byte(`{"createIssue":`+issueSchema+`}`)))
		if h := one["header"].(string); strings.Contains(h, "listIssues") || !strings.Contains(h, "createIssue") {
			t.Errorf("header of %s is %s", selector, h)
		}
	}
	same(t, "dotted path", call("docs", "resources.list", false)["tools"], value(t, []byte(`[{"method":"resources.list","path":["resources","list"],"mcpTool":"l","operation":"resources_list","description":"l of docs."}]`)))
	none := call("github", "nope", true)
	same(t, "no match", []any{none["scope"], none["tools"], none["schemas"]}, []any{"server", []any{}, map[string]any{}})
	if _, err := v.DollarAPI("nope", "", false); err == nil {
		t.Error("an unknown server answers")
	}
	empty := view(t, `[]`, "", false)
	text, err := empty.DollarAPI("", "", false)
	if err != nil || !strings.Contains(string(text), `"servers":[]`) {
		t.Errorf("without MCP: %s %v", text, err)
	}
}
