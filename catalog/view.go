package catalog

import (
	"encoding/json"
	"strings"
	"sync"

	"codemode/catalog/internal/ordered"
	"codemode/protocol"
)

var (
	// ErrNamespaceID is the rejection of a namespace request whose id is no string (contract 8.7).
	ErrNamespaceID error = rejection("namespace id must be a string.")
	// ErrNamespacePath is the rejection of a namespace request whose path is no list of strings (contract 8.7).
	ErrNamespacePath error = rejection("namespace path must be an array of strings.")
)

// Args are the positional arguments of a namespace call as JSON. An index below Count that is not in
// Values was undefined.
type Args struct {
	Count  int
	Values map[int]json.RawMessage
}

// View is what one run sees: the shared catalogue and its own namespaces. It is safe for concurrent use.
type View struct {
	*Catalog
	plugins []*namespace // visible ones, in order
	byID    map[string]*namespace
	swarm   bool

	treeOnce sync.Once
	tree     []byte
}

// ForRun makes the view of a run with the namespaces its job brings besides those of the catalogue.
// Descriptors that break contract 8.2, 8.3 or 8.5 are refused as *protocol.Error with detail
// invalid_input; those whose tools are not all there are left out (contract 8.4).
func (c *Catalog) ForRun(runNamespaces []protocol.Namespace, swarm bool) (*View, error) {
	c.checkedOnce.Do(func() { c.checked, c.checkedErr = checkNamespaces(c.namespaces, newTaken()) })
	if c.checkedErr != nil {
		return nil, c.checkedErr
	}
	all := c.checked
	if len(runNamespaces) > 0 {
		used := newTaken()
		for _, n := range c.checked {
			used.add(n.wire.ID, n.wire.GlobalName)
		}
		own, err := checkNamespaces(runNamespaces, used)
		if err != nil {
			return nil, err
		}
		all = append(all[:len(all):len(all)], own...)
	}
	v := &View{Catalog: c, swarm: swarm, byID: map[string]*namespace{}}
	for _, n := range all {
		if c.owns(n.wire.PluginID, n.wire.RequiredToolNames) {
			v.plugins = append(v.plugins, n)
			v.byID[n.wire.ID] = n
		}
	}
	return v, nil
}

// NamespaceGlobals lists the global names of the visible plugin namespaces, in order. MCP is not among them.
func (v *View) NamespaceGlobals() []string {
	list := make([]string, len(v.plugins))
	for i, n := range v.plugins {
		list[i] = n.wire.GlobalName
	}
	return list
}

// NamespaceTree is the JSON the guest controller makes the plugin namespaces from:
// [{"id","globalName","scope"}], scope as on the wire. It must not be changed.
func (v *View) NamespaceTree() []byte {
	v.treeOnce.Do(func() {
		b := []byte{'['}
		for i, n := range v.plugins {
			if i > 0 {
				b = append(b, ',')
			}
			b = ordered.AppendString(append(b, `{"id":`...), n.wire.ID)
			b = ordered.AppendString(append(b, `,"globalName":`...), n.wire.GlobalName)
			b = append(appendNode(append(b, `,"scope":`...), &n.wire.Scope), '}')
		}
		v.tree = append(b, ']')
	})
	return v.tree
}

// MCPTree is the JSON the guest controller makes MCP from (contract 7.1):
// {"servers":[{"identifier","serverName","paths":[["createIssue"],["resources","list"],…]}]}. It must
// not be changed.
func (v *View) MCPTree() []byte { return v.servers().wire }

// HasMCP reports whether the catalogue has an MCP entry.
func (v *View) HasMCP() bool { return len(v.mcp) > 0 }

// Resolve finds the exact entry a namespace member stands for, and makes the input of the call (contract
// 7.2 for id "mcp", else 8.5 and 8.7). The error text is the guest's rejection.
//
// The entry is also given where only the arguments are at fault, since such a call counts as one whose
// entry was found (contract 16.1).
func (v *View) Resolve(namespaceID string, path []string, args Args) (*Entry, json.RawMessage, error) {
	if namespaceID == mcpNamespace {
		t := v.servers().tool(path)
		if t == nil {
			return nil, nil, notCallable(path)
		}
		input, err := t.input(args)
		return t.entry, input, err
	}
	n := v.byID[namespaceID]
	if n == nil {
		return nil, nil, rejection("Unknown code mode namespace: " + namespaceID)
	}
	f := n.member(path)
	if f == nil || f.Kind != protocol.NodeFunction {
		return nil, nil, notCallable(path)
	}
	if !n.required[f.ToolName] {
		return nil, nil, rejection("Code mode namespace path targets undeclared tool: " + f.ToolName)
	}
	e := v.pluginTool(n.wire.PluginID, f.ToolName)
	if e == nil {
		return nil, nil, rejection("namespace tool is not visible in the run catalog: " + f.ToolName)
	}
	return e, inputOf(f.Params, args), nil
}

func notCallable(path []string) error {
	return rejection("Code mode namespace path is not callable: " + strings.Join(path, "."))
}

// inputOf maps positional arguments to an input (contract 8.5). Without params, nil, the first argument
// is the input.
func inputOf(params []string, args Args) json.RawMessage {
	if params == nil {
		if first := args.Values[0]; args.Count > 0 && first != nil && string(first) != "null" {
			return first
		}
		return json.RawMessage("{}")
	}
	last := make(map[string]int, len(params)) // of a key that is there twice the later counts
	for i, key := range params {
		if _, ok := args.Values[i]; ok && i < args.Count {
			last[key] = i
		}
	}
	b := []byte{'{'}
	for i, key := range params {
		if at, ok := last[key]; !ok || at != i {
			continue
		}
		if len(b) > 1 {
			b = append(b, ',')
		}
		b = append(append(ordered.AppendString(b, key), ':'), args.Values[i]...)
	}
	return append(b, '}')
}
