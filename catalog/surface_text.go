package catalog

import (
	"slices"
	"strings"
)

// The schemas have neither required (exec) nor any union, since some model providers refuse them
// (contract 3.4, 3.5).
const (
	execSchema = `{"type":"object","properties":{` +
		`"code":{"type":"string","description":"One complete workflow. Use exact ids from ALL_TOOLS or tools.search, which takes a string, not an object. No dependent calls in one Promise.all. Return the final value. No Node built-ins."},` +
		`"command":{"type":"string","description":"Alias of code for exec-compatible hook policies and trusted rewrites. Not a shell command."},` +
		`"language":{"type":"string","enum":["javascript","typescript"],"description":"javascript or typescript. Default: javascript."},` +
		`"restartSafe":{"type":"boolean","description":"Set only for cells whose every catalog call may be repeated. Leave unset otherwise."}}}`
	waitSchema = `{"type":"object","properties":{` +
		`"runId":{"type":"string","description":"The runId of the exec or wait result with status waiting."}},"required":["runId"]}`
	waitDescription = "Continue a run whose exec or wait returned status waiting, and only then. Pass its runId."
)

// The parts of the description of exec (contract 3.6).
const (
	baseText = "Run JavaScript or TypeScript, never a shell command. The cell is the body of an async function. " +
		"Use `return` to pass the final value back; without it the value is null. " +
		"All enabled catalog tools allowed by policy are callable. " +
		"In `input -> output`, a type after `->` is the declared output; `-> ?` means that nobody declared it. " +
		"With a declared output, select, call and process in one exec. " +
		"With an unknown output, return the value unchanged first, then process it in the next exec. " +
		"Await dependent calls in sequence; only independent work may run in parallel.\n" +
		"Helpers: ALL_TOOLS is the list of compact entries { id, name, description, input, output? }; " +
		"tools.search(query: string, options?) finds entries; tools.describe(id: string) gives the full schema; " +
		"tools.callValue(id: string, args?) calls a tool and returns its JSON value directly; " +
		"tools.call(id: string, args?) returns { tool, result }; text(value) and json(value) add output; " +
		"yield_control(reason?) pauses until wait.\n" +
		"Never invent or transform a tool id: copy it from ALL_TOOLS or a search hit. Example: " +
		"const [hit] = await tools.search(\"order list\"); return await tools.callValue(hit.id, { customer: \"c1\" });\n" +
		"Node.js modules, files and network are absent; `require`/`import` are NOT available."
	apiText       = "\nAPI.list(prefix?) and API.read(path) show read-only declaration files."
	mcpText       = "\nMCP tools: read the one file mcp/<server>.d.ts, then call MCP.<server>.<tool>({ ... }) with one object argument; MCP.<server>.$api(tool) shows one of them."
	swarmText     = "\nSwarm: agents.run(prompt, options?) runs a child agent and gives its result; phase(title) and log(message) note progress; see agents.d.ts."
	namespaceText = "\nNamespace globals, also under namespaces.<name>, are small APIs over plugin tools."
	languageText  = "\nlanguage is \"javascript\" or \"typescript\"."
)

// execDescription makes the text; a nil view is that of a catalogue not known yet.
func execDescription(v *View, swarm bool) string {
	var b strings.Builder
	b.WriteString(baseText)
	if v == nil || v.HasMCP() || swarm {
		b.WriteString(apiText)
	}
	if v == nil || v.HasMCP() {
		b.WriteString(mcpText)
	}
	if swarm {
		b.WriteString(swarmText)
	}
	if v == nil || len(v.plugins) > 0 {
		b.WriteString(namespaceText)
	}
	b.WriteString(languageText)
	if v == nil {
		return b.String()
	}
	for _, block := range []string{v.namespacePrompt(), quickIndex(v.visible)} {
		if block != "" {
			b.WriteString("\n\n" + block)
		}
	}
	return b.String()
}

// namespacePrompt is the text of contract 8.8, "" where nothing is visible.
func (v *View) namespacePrompt() string {
	if !v.HasMCP() && len(v.plugins) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("Namespaces:")
	if v.HasMCP() {
		var servers []string
		for _, s := range v.servers().servers {
			servers = append(servers, s.identifier)
		}
		slices.Sort(servers)
		b.WriteString("\n- MCP: tools of connected MCP servers. Read mcp/index.d.ts and mcp/<server>.d.ts with API.read; visible servers: " +
			strings.Join(servers, ", ") + ". Call await MCP.<server>.<tool>({ ... }) with one object.")
	}
	for _, n := range v.plugins {
		b.WriteString("\n- " + n.wire.GlobalName + ": " + n.wire.Description)
		if !blank(n.wire.Prompt) {
			b.WriteString("\n" + n.wire.Prompt)
		}
	}
	return b.String()
}
