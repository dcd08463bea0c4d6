package catalog

import (
	"strconv"
	"strings"
	"sync"

	"codemode/catalog/internal/ordered"
	"codemode/protocol"
)

// reservedMCP are the names no MCP server or tool has in guest code (contract 7.1).
var reservedMCP = merged(reservedWords, set(`ALL_TOOLS agents API Array Boolean Date Error globalThis log json JSON Map Math MCP
	namespaces Number Object Promise phase Set String text tools yield_control __proto__ constructor prototype enum`))

var (
	reservedServers     = merged(reservedMCP, set(`index`))
	reservedServerTools = merged(reservedMCP, set(`$api $serverName resources prompts`))
)

// mcpTree is what MCP looks like from guest code.
type mcpTree struct {
	servers []*mcpServer // in id order
	byName  map[string]*mcpServer
	wire    []byte   // the answer of View.MCPTree
	index   *apiFile // mcp/index.d.ts
}

type mcpServer struct {
	identifier string
	serverName string
	tools      []*mcpTool // in id order
	byPath     map[string]*mcpTool

	fileOnce sync.Once
	file     *apiFile
}

// mcpTool is one entry and its place under its server.
type mcpTool struct {
	entry *Entry
	path  []string // under the server: ["createIssue"] or ["resources", "list"]

	inputOnce sync.Once
	defaults  []ordered.Member // properties with a default, in schema order
	required  []string
}

func (t *mcpTool) method() string { return strings.Join(t.path, ".") }

// names gives out identifiers, adding 2, 3, … to one that is reserved or taken.
type names struct {
	reserved map[string]bool
	next     map[string]int
	used     map[string]bool
}

func newNames(reserved map[string]bool) *names {
	return &names{reserved: reserved, next: map[string]int{}, used: map[string]bool{}}
}

func (n *names) take(base string) string {
	name := base
	for n.reserved[name] || n.used[name] {
		if n.next[base] == 0 {
			n.next[base] = 2
		}
		name = base + strconv.Itoa(n.next[base])
		n.next[base]++
	}
	n.used[name] = true
	return name
}

// mcpIdentifier makes the name of a server or tool an identifier; fallback is used where nothing is left.
func mcpIdentifier(name, fallback string) string {
	var b strings.Builder
	for i, word := range strings.FieldsFunc(name, func(r rune) bool { return !asciiLetter(r) && (r < '0' || r > '9') }) {
		if i == 0 {
			b.WriteString(strings.ToLower(word[:1]))
		} else {
			b.WriteString(strings.ToUpper(word[:1]))
		}
		b.WriteString(word[1:])
	}
	id := strings.TrimLeft(b.String(), "0123456789")
	if id == "" {
		return fallback
	}
	return id
}

// mcpGroup gives where an operation lives: the group's name, or "" for direct members, and the member.
func mcpGroup(m *protocol.MCPTool) (group, member string) {
	switch m.Operation {
	case protocol.OperationResourcesList:
		return "resources", "list"
	case protocol.OperationResourcesRead:
		return "resources", "read"
	case protocol.OperationPromptsList:
		return "prompts", "list"
	case protocol.OperationPromptsGet:
		return "prompts", "get"
	}
	return "", mcpIdentifier(m.ToolName, "tool")
}

// servers gives the MCP tree, made on first use.
func (c *Catalog) servers() *mcpTree {
	c.mcpOnce.Do(func() { c.mcpServers = newMCPTree(c.mcp) })
	return c.mcpServers
}

func newMCPTree(entries []*Entry) *mcpTree {
	tree := &mcpTree{byName: map[string]*mcpServer{}}
	byKey := map[string]*mcpServer{}
	serverNames := newNames(reservedServers)
	memberNames := map[*mcpServer]map[string]*names{}
	for _, e := range entries {
		m := e.tool.MCP
		s := byKey[serverOf(m)]
		if s == nil {
			s = &mcpServer{
				identifier: serverNames.take(mcpIdentifier(serverOf(m), "server")),
				serverName: m.ServerName,
				byPath:     map[string]*mcpTool{},
			}
			byKey[serverOf(m)] = s
			tree.byName[s.identifier] = s
			tree.servers = append(tree.servers, s)
			memberNames[s] = map[string]*names{
				"": newNames(reservedServerTools), "resources": newNames(nil), "prompts": newNames(nil),
			}
		}
		group, member := mcpGroup(m)
		member = memberNames[s][group].take(member)
		t := &mcpTool{entry: e, path: []string{member}}
		if group != "" {
			t.path = []string{group, member}
		}
		s.tools = append(s.tools, t)
		s.byPath[t.method()] = t
	}
	tree.wire = tree.encode()
	tree.index = &apiFile{path: "mcp/index.d.ts", description: "The visible MCP servers.", content: tree.references() + "\n" + tree.indexHeader()}
	return tree
}

func (t *mcpTree) encode() []byte {
	b := []byte(`{"servers":[`)
	for i, s := range t.servers {
		if i > 0 {
			b = append(b, ',')
		}
		b = ordered.AppendString(append(b, `{"identifier":`...), s.identifier)
		b = ordered.AppendString(append(b, `,"serverName":`...), s.serverName)
		b = append(b, `,"paths":[`...)
		for j, tool := range s.tools {
			if j > 0 {
				b = append(b, ',')
			}
			b = appendStrings(b, tool.path)
		}
		b = append(b, "]}"...)
	}
	return append(b, "]}"...)
}

// tool finds the member behind a path that begins with the server.
func (t *mcpTree) tool(path []string) *mcpTool {
	if len(path) < 2 || len(path) > 3 {
		return nil
	}
	s := t.byName[path[0]]
	if s == nil {
		return nil
	}
	found := s.byPath[strings.Join(path[1:], ".")]
	if found == nil || len(found.path) != len(path)-1 {
		return nil // a step with a dot in it
	}
	return found
}
