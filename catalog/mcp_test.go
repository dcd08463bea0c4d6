package catalog

import (
	"fmt"
	"strings"
	"testing"
)

func mcpEntry(server, tool, operation, parameters string) string {
	if parameters == "" {
		parameters = `{"type":"object","properties":{}}`
	}
	return fmt.Sprintf(`{"source":"mcp","owner":%q,"name":%q,"description":%q,"parameters":%s,"mcp":{"serverName":%q,"safeServerName":%q,"toolName":%q,"operation":%q}}`,
		server, server+"__"+tool, tool+" of "+server+".", parameters, "Raw "+server, server, tool, operation)
}

const issueSchema = `{"type":"object","properties":{"title":{"type":"string","description":"Title of\nthe issue"},"body":{"type":"string","default":""},"labels":{"type":"array","items":{"type":"string"}}},"required":["title"]}`

var githubTools = "[" + mcpEntry("github", "list_issues", "", "") + "," + mcpEntry("github", "create_issue", "tool", issueSchema) + "]"

// Contract 7.1; conformance mcp/identifiers, mcp/keywords, mcp/name-collisions.
func TestMCPNames(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"create_issue": "createIssue", "chrome-devtools": "chromeDevtools", "GitHub": "gitHub", "2fa": "fa",
		"get-repo2-url": "getRepo2Url", "": "tool", "42": "tool", "é": "tool", "éa b": "aB", "a$b": "aB", "__x__": "x", "2-fa": "Fa"} {
		same(t, name, mcpIdentifier(name, "tool"), want)
	}
	for _, c := range []struct {
		tools []string
		want  string
	}{
		{[]string{mcpEntry("store", "delete", "", "")}, `[["store",["delete2"]]]`},
		{[]string{mcpEntry("json", "log", "", "")}, `[["json2",["log2"]]]`},
		{[]string{mcpEntry("constructor", "prototype", "", "")}, `[["constructor2",["prototype2"]]]`},
		{[]string{mcpEntry("index", "$api", "", "")}, `[["index2",["api"]]]`},
		{[]string{mcpEntry("a", "resources", "", ""), mcpEntry("a", "prompts", "", ""), mcpEntry("a", "index", "", "")}, `[["a",["index"],["prompts2"],["resources2"]]]`},
		{[]string{mcpEntry("gh", "create_issue", "", ""), mcpEntry("gh", "createIssue", "", ""), mcpEntry("gh", "create-issue", "", "")}, `[["gh",["createIssue"],["createIssue2"],["createIssue3"]]]`},
		{[]string{mcpEntry("gh", "a", "", ""), mcpEntry("gh", "A", "", ""), mcpEntry("gh", "a2", "", "")}, `[["gh",["a"],["a2"],["a22"]]]`},
		{[]string{mcpEntry("x y", "a", "", ""), mcpEntry("x-y", "a", "", "")}, `[["xY",["a"]],["xY2",["a"]]]`},
		{[]string{mcpEntry("d", "r", "resources_read", ""), mcpEntry("d", "l", "resources_list", ""), mcpEntry("d", "g", "prompts_get", ""), mcpEntry("d", "p", "prompts_list", ""), mcpEntry("d", "z", "resources_list", "")},
			`[["d",["prompts","get"],["resources","list"],["prompts","list"],["resources","read"],["resources","list2"]]]`},
	} {
		v := view(t, "["+strings.Join(c.tools, ",")+"]", "", false)
		var got []any
		for _, s := range value(t, v.MCPTree()).(map[string]any)["servers"].([]any) {
			server := s.(map[string]any)
			got = append(got, append([]any{server["identifier"]}, server["paths"].([]any)...))
		}
		same(t, "names", got, value(t, []byte(c.want)))
	}
}

func TestMCPTree(t *testing.T) {
	t.Parallel()
	v := view(t, githubTools, "", false)
	same(t, "tree", string(v.MCPTree()), `{"servers":[{"identifier":"github","serverName":"Raw github","paths":[["createIssue"],["listIssues"]]}]}`)
	same(t, "has MCP", v.HasMCP(), true)
	none := view(t, ticketTools, "", false)
	same(t, "empty tree", string(none.MCPTree()), `{"servers":[]}`)
	same(t, "has no MCP", none.HasMCP(), false)
}

// Many tools of one name are numbered in linear time.
func TestMCPManyEqualNames(t *testing.T) {
	t.Parallel()
	var tools []string
	for i := range 3000 {
		tools = append(tools, mcpEntry("s", "a"+strings.NewReplacer("0", "_", "1", "-").Replace(fmt.Sprintf("%013b", i)), "", ""))
	}
	servers := decode(t, "["+strings.Join(tools, ",")+"]").servers().servers
	same(t, "last name", servers[0].tools[2999].path, []string{"a3000"})
}

// Contract 7.2; conformance mcp/call, mcp/argument-errors, mcp/resources-prompts, mcp/name-collisions.
func TestResolveMCP(t *testing.T) {
	t.Parallel()
	multi := `{"properties":{"b":{"default":{ "x": 1 }},"__proto__":{"default":null},"c":{},"d":7},"required":["c","gone",5,"c","b"]}`
	tools := "[" + strings.Join([]string{mcpEntry("github", "create_issue", "", issueSchema), mcpEntry("docs", "read", "resources_read", `{"required":["uri"]}`),
		mcpEntry("docs", "multi", "", multi), mcpEntry("docs", "odd", "", `[1]`), mcpEntry("docs", "cyclic", "", `{"$ref":"#","properties":{"a":{"$ref":"#"}},"required":"a"}`),
		`{"source":"mcp","name":"bare","mcp":{"serverName":"docs","toolName":"bare"}}`}, ",") + "]"
	v := view(t, tools, "", false)
	const one = "MCP namespace tools accept one object argument."
	for _, c := range []struct {
		path  string
		args  Args
		id    string
		input string
		err   string
	}{
		{"github.createIssue", args(`{"title":"Bug"}`), "mcp:github:github__create_issue", `{"title":"Bug","body":""}`, ""},
		{"github.createIssue", args(`{"body":"x","title":"Bug","more":[1]}`), "mcp:github:github__create_issue", `{"body":"x","title":"Bug","more":[1]}`, ""},
		{"github.createIssue", args(`{"title":null}`), "mcp:github:github__create_issue", `{"title":null,"body":""}`, ""},
		{"github.createIssue", args(`"a"`, `"b"`), "mcp:github:github__create_issue", "", one},
		{"github.createIssue", args(`{}`, "undefined"), "mcp:github:github__create_issue", "", one},
		{"github.createIssue", args(`"a"`), "mcp:github:github__create_issue", "", one},
		{"github.createIssue", args(`[]`), "mcp:github:github__create_issue", "", one},
		{"github.createIssue", args(`null`), "mcp:github:github__create_issue", "", one},
		{"github.createIssue", args(`undefined`), "mcp:github:github__create_issue", "", one},
		{"github.createIssue", args(`{}`), "mcp:github:github__create_issue", "", "Missing required MCP namespace argument: title"},
		{"github.createIssue", args(), "mcp:github:github__create_issue", "", "Missing required MCP namespace argument: title"},
		{"docs.multi", args(), "mcp:docs:docs__multi", "", "Missing required MCP namespace arguments: c, gone"},
		{"docs.multi", args(`{"c":1,"gone":2}`), "mcp:docs:docs__multi", `{"c":1,"gone":2,"b":{"x":1},"__proto__":null}`, ""},
		{"docs.multi", args(`{"c":1,"gone":2,"__proto__":3}`), "mcp:docs:docs__multi", `{"c":1,"gone":2,"__proto__":3,"b":{"x":1}}`, ""},
		{"docs.resources.read", args(`{"uri":"memo://one"}`), "mcp:docs:docs__read", `{"uri":"memo://one"}`, ""},
		{"docs.odd", args(`{"x":1}`), "mcp:docs:docs__odd", `{"x":1}`, ""},
		{"docs.cyclic", args(), "mcp:docs:docs__cyclic", `{}`, ""},
		{"docs.bare", args(), "mcp:docs:bare", `{}`, ""},
		{"docs.read", args(), "", "", "Code mode namespace path is not callable: docs.read"},
		{"nope.read", args(), "", "", "Code mode namespace path is not callable: nope.read"},
		{"docs", args(), "", "", "Code mode namespace path is not callable: docs"},
		{"docs.__proto__", args(), "", "", "Code mode namespace path is not callable: docs.__proto__"},
		{"docs.resources.read.x", args(), "", "", "Code mode namespace path is not callable: docs.resources.read.x"},
	} {
		e, input, err := v.Resolve("mcp", strings.Split(c.path, "."), c.args)
		id := ""
		if e != nil {
			id = e.ID()
		}
		if id != c.id || string(input) != c.input || message(err) != c.err {
			t.Errorf("%s: %q %s %q\nwant %q %s %q", c.path, id, input, message(err), c.id, c.input, c.err)
		}
	}
	_, _, err := v.Resolve("mcp", []string{"docs", "resources.read"}, args())
	same(t, "a step with a dot", message(err), "Code mode namespace path is not callable: docs.resources.read")
	_, err = v.Lookup("github__create_issue")
	if err == nil || len(v.Search("create issue github", 8)) != 0 || string(v.AllTools()) != "[]" {
		t.Error("MCP entries are reachable through tools")
	}
}
