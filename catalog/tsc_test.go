package catalog

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"codemode/protocol"
)

// declaredTool is a tool of testdata/tsc/schemas.json: its schema, argument lists that fit it and some that do not.
type declaredTool struct {
	Name        string                `json:"name"`
	Description string                `json:"description"`
	Operation   protocol.MCPOperation `json:"operation"`
	Parameters  json.RawMessage       `json:"parameters"`
	Good        []string              `json:"good"`
	Bad         []string              `json:"bad"`
}

// TestDeclarationsCompile: the TypeScript compiler accepts the declaration files of contract 7.4 and calls
// that fit them, and refuses those that do not.
//
// Each server's file is compiled by itself with the header type of mcp/index.d.ts. Of the index only the
// syntax is checked: contract 7.4 has it declare MCP as a constant, and the servers' files as a namespace,
// which no compiler takes together.
func TestDeclarationsCompile(t *testing.T) {
	t.Parallel()
	var servers map[string][]declaredTool
	if err := json.Unmarshal(testdata(t, "tsc/schemas.json"), &servers); err != nil {
		t.Fatal(err)
	}
	total := 0
	for server, tools := range servers {
		total += len(tools)
		t.Run(server, func(t *testing.T) {
			t.Parallel()
			compileDeclaration(t, server, tools)
		})
	}
	if total < 40 {
		t.Errorf("there are %d schemas", total)
	}
}

func compileDeclaration(t *testing.T, server string, tools []declaredTool) {
	t.Helper()
	var c protocol.Catalog
	for _, tool := range tools {
		c.Tools = append(c.Tools, protocol.Tool{
			Source: protocol.SourceMCP, Name: server + "__" + tool.Name, Description: tool.Description, Parameters: tool.Parameters,
			MCP: &protocol.MCPTool{ServerName: server, ToolName: tool.Name, Operation: tool.Operation},
		})
	}
	built, err := Build(c)
	if err != nil {
		t.Fatal(err)
	}
	v, err := built.ForRun(nil, true)
	if err != nil {
		t.Fatal(err)
	}
	s := v.servers().servers[0]
	methods := map[string]string{}
	for _, tool := range s.tools {
		methods[tool.entry.Name()] = "MCP." + s.identifier + "." + tool.method()
	}
	var calls strings.Builder
	calls.WriteString("export async function calls() {\n  const all: McpToolResult[] = [];\n  await MCP." + s.identifier + ".$api('x', { schema: true });\n")
	for _, tool := range tools {
		method := methods[server+"__"+tool.Name]
		for _, args := range tool.Good {
			calls.WriteString("  all.push(await " + method + "(" + args + "));\n")
		}
		for _, args := range tool.Bad {
			calls.WriteString("  // @ts-expect-error these arguments do not fit\n  all.push(await " + method + "(" + args + "));\n")
		}
	}
	calls.WriteString("  return all.map((r) => [r.content, r.structuredContent, r.isError]);\n}\n")
	files := map[string]string{
		"header.d.ts": headerType + "\n", "server.d.ts": s.declaration().content, "agents.d.ts": agentsFile.content, "calls.ts": calls.String(),
		"agents.ts": "export const a: Promise<unknown> = agents.run('x', { fastMode: 'auto', schema: {} });\nphase('p');\nlog('l');\n" +
			"// @ts-expect-error a prompt is a string\nagents.run(5);\n// @ts-expect-error there is no such option\nagents.run('x', { speed: 1 });\n",
	}
	if !strings.Contains(v.servers().index.content, "\n"+headerType+"\n") {
		t.Fatal("mcp/index.d.ts lacks the header type")
	}
	tsc(t, files)
	if server == "words" {
		tsc(t, map[string]string{"index.d.ts": v.servers().index.content}, "--noCheck", "--noResolve")
	}
}

// tsc runs the TypeScript compiler on files.
func tsc(t *testing.T, files map[string]string, flags ...string) {
	t.Helper()
	compiler, err := filepath.Abs("testdata/tsc/node_modules/typescript/bin/tsc")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(compiler); err != nil {
		t.Fatalf("%v: make catalog/testdata/tsc/node_modules fetches the compiler", err)
	}
	dir := t.TempDir()
	args := append([]string{compiler, "--noEmit", "--strict", "--target", "es2022", "--lib", "es2022"}, flags...)
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		args = append(args, path)
	}
	cmd := exec.Command("node", args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
