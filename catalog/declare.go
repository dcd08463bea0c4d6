package catalog

import (
	"slices"
	"strings"

	"codemode/catalog/internal/ordered"
)

// maxTypeDepth bounds the nesting of a declared type; what is deeper is unknown. MCP schemas are
// hostile, and the bound keeps their text linear in their size.
const maxTypeDepth = 12

// maxCommentLines bounds the description of a tool in a declaration (contract 7.4).
const maxCommentLines = 12

const (
	resultType = "type McpToolResult = { content?: unknown[]; structuredContent?: unknown; isError?: boolean; [key: string]: unknown };"
	headerType = `type McpApiHeader = { kind: "mcp_api"; scope: "root" | "server" | "tool"; header: string; note: string; [key: string]: unknown };`
)

// indexHeader is the text of mcp/index.d.ts without the reference lines.
func (t *mcpTree) indexHeader() string {
	var b strings.Builder
	b.WriteString(headerType + "\ndeclare const MCP: {\n  /** List the visible MCP servers. */\n  $api(): Promise<McpApiHeader>;\n")
	for _, s := range t.servers {
		b.WriteString("  readonly " + s.identifier + ": typeof MCP." + s.identifier + ";\n")
	}
	b.WriteString("};\n")
	return b.String()
}

// references are the lines that lead from mcp/index.d.ts to the servers' files.
func (t *mcpTree) references() string {
	var b strings.Builder
	for _, s := range t.servers {
		b.WriteString("/// <reference path=\"./" + s.identifier + ".d.ts\" />\n")
	}
	return b.String()
}

// header is the text of mcp/<server>.d.ts with the given tools of the server.
func (s *mcpServer) header(tools []*mcpTool) string {
	var b strings.Builder
	b.WriteString(resultType + "\ndeclare namespace MCP." + s.identifier + " {\n" +
		"  /** Return this TypeScript-style API header. */\n" +
		"  function $api(toolName?: string, options?: { schema?: boolean }): Promise<McpApiHeader>;\n")
	groups := map[string][]*mcpTool{}
	for _, t := range tools {
		group := ""
		if len(t.path) > 1 {
			group = t.path[0]
		}
		groups[group] = append(groups[group], t)
	}
	for _, t := range byMember(groups[""]) {
		t.declare(&b, "  ")
	}
	for _, group := range []string{"prompts", "resources"} {
		if len(groups[group]) == 0 {
			continue
		}
		b.WriteString("  namespace " + group + " {\n")
		for _, t := range byMember(groups[group]) {
			t.declare(&b, "    ")
		}
		b.WriteString("  }\n")
	}
	b.WriteString("}\n")
	return b.String()
}

func (t *mcpTool) member() string { return t.path[len(t.path)-1] }

func byMember(tools []*mcpTool) []*mcpTool {
	sorted := slices.Clone(tools)
	slices.SortFunc(sorted, func(a, b *mcpTool) int { return strings.Compare(a.member(), b.member()) })
	return sorted
}

// declare writes the comment and the function of one tool.
func (t *mcpTool) declare(b *strings.Builder, indent string) {
	schema, err := ordered.Parse(t.entry.parameters())
	if err != nil {
		schema = ordered.Value{}
	}
	params := parametersOf(&schema)
	writeComment(b, indent, t.entry.tool.Description, params)
	b.WriteString(indent + "function " + t.member() + "(")
	if len(params) == 0 {
		b.WriteString("input?: Record<string, never>): Promise<McpToolResult>;\n")
		return
	}
	if params[0].required {
		b.WriteString("input: {\n")
	} else {
		b.WriteString("input?: {\n")
	}
	for _, p := range params {
		text, _ := typeOf(p.schema, 0)
		b.WriteString(indent + "  " + propertyName(p.name) + optionalMark(p.required) + ": " + text + ";\n")
	}
	b.WriteString(indent + "}): Promise<McpToolResult>;\n")
}

// parameter is one property of an object schema.
type parameter struct {
	name     string
	required bool
	schema   *ordered.Value
}

// parametersOf lists the properties of an object schema: required ones in the order of required, then
// the others in the order of the schema (contract 7.4).
func parametersOf(schema *ordered.Value) []parameter {
	props := schema.Get("properties")
	byName := make(map[string]*ordered.Value, len(props.Members))
	for i := range props.Members {
		byName[props.Members[i].Key] = &props.Members[i].Value
	}
	list := make([]parameter, 0, len(props.Members))
	required := map[string]bool{}
	for _, name := range requiredList(schema) {
		required[name] = true
		inner := byName[name]
		if inner == nil {
			inner = &ordered.Value{}
		}
		list = append(list, parameter{name, true, inner})
	}
	for i := range props.Members {
		if m := &props.Members[i]; !required[m.Key] {
			list = append(list, parameter{m.Key, false, &m.Value})
		}
	}
	return list
}

func writeComment(b *strings.Builder, indent, description string, params []parameter) {
	lines := commentLines(description)
	for _, p := range params {
		text := oneLine(p.schema.Get("description").Str)
		if d := p.schema.Get("default"); d.Kind != ordered.Absent {
			text = strings.TrimSpace(text + " Default: " + ordered.Literal(d) + ".")
		}
		if text != "" {
			lines = append(lines, "@param "+oneLine(p.name)+optionalMark(p.required)+" "+text)
		}
	}
	if len(lines) == 0 {
		return
	}
	b.WriteString(indent + "/**\n")
	for _, line := range lines {
		b.WriteString(indent + " * " + strings.ReplaceAll(line, "*/", "* /") + "\n")
	}
	b.WriteString(indent + " */\n")
}

// commentLines gives the first non-blank lines of a text, trimmed.
func commentLines(text string) []string {
	var lines []string
	for line := range strings.FieldsFuncSeq(text, lineEnd) {
		if line = trim(line); line != "" && len(lines) < maxCommentLines {
			lines = append(lines, line)
		}
	}
	return lines
}

func lineEnd(r rune) bool { return r == '\n' || r == '\r' || r == 0x2028 || r == 0x2029 }

// oneLine puts a text on one line.
func oneLine(text string) string { return strings.Join(strings.FieldsFunc(text, jsSpace), " ") }

// typeOf gives the declared type of a schema, and whether it is a union (contract 7.4). References are
// not followed.
func typeOf(schema *ordered.Value, depth int) (text string, union bool) {
	if schema.Kind != ordered.Object || depth > maxTypeDepth {
		return unknown, false
	}
	if e := schema.Get("enum"); len(e.Items) >= 1 && len(e.Items) <= 16 {
		texts := make([]string, 0, len(e.Items))
		for i := range e.Items {
			if k := e.Items[i].Kind; k != ordered.Array && k != ordered.Object {
				texts = append(texts, ordered.Literal(&e.Items[i]))
			}
		}
		if len(texts) == len(e.Items) {
			return unionOf(texts)
		}
	}
	for _, key := range []string{"oneOf", "anyOf"} {
		variants := schema.Get(key)
		if len(variants.Items) < 1 || len(variants.Items) > 8 {
			continue
		}
		texts := make([]string, len(variants.Items))
		for i := range variants.Items {
			variant, inner := typeOf(&variants.Items[i], depth+1)
			texts[i], union = variant, union || inner
		}
		text, joined := unionOf(texts)
		return text, joined || union
	}
	names, ok := typeNames(schema.Get("type"))
	if !ok || len(names) == 0 {
		return unknown, false
	}
	texts := make([]string, 0, min(len(names), 8))
	for _, name := range names[:min(len(names), 8)] { // there are seven types
		texts = append(texts, namedType(schema, name, depth))
	}
	return unionOf(texts)
}

func unionOf(texts []string) (text string, union bool) {
	text = joinDistinct(texts)
	return text, text != texts[0]
}

func namedType(schema *ordered.Value, name string, depth int) string {
	switch name {
	case "string", "number", "boolean", "null":
		return name
	case "integer":
		return "number"
	case "array":
		item, union := typeOf(schema.Get("items"), depth+1)
		if union {
			return "(" + item + ")[]"
		}
		return item + "[]"
	case "object":
		params := parametersOf(schema)
		if len(params) == 0 {
			return "Record<string, unknown>"
		}
		parts := make([]string, len(params))
		for i, p := range params {
			text, _ := typeOf(p.schema, depth+1)
			parts[i] = propertyName(p.name) + optionalMark(p.required) + ": " + text
		}
		return "{ " + strings.Join(parts, "; ") + " }"
	}
	return unknown
}
