package catalog

import (
	"context"
	"slices"
	"sync"

	"codemode/protocol"
)

// RunContext is what a scope may depend on; whether the run is aborted is the context's affair.
type RunContext struct {
	AgentID, SessionKey, SessionID, RunID string
	Config                                protocol.Config
}

// Registration describes a namespace of a plugin (contract 8.2).
type Registration struct {
	ID, GlobalName      string
	Description, Prompt string
	RequiredToolNames   []string
	// CreateScope makes the namespace's content for one run: an Object or a map with string keys, of
	// JSON values, lists, further objects and NamespaceTool marks (contract 8.5).
	CreateScope func(ctx context.Context, run RunContext) (any, error)
}

// Registry holds the namespaces of a gateway process (contract 8.2). The zero value is empty and ready.
// It is safe for concurrent use.
type Registry struct {
	mu   sync.Mutex
	list []registered // in order of registration
}

type registered struct {
	pluginID string
	Registration
}

// Register adds a namespace for a plugin. The error texts are those of contract 8.2.
func (r *Registry) Register(pluginID string, n Registration) error {
	if err := checkHead(n.ID, pluginID, n.GlobalName); err != nil {
		return err
	}
	if n.CreateScope == nil {
		return rejection("Code mode namespace createScope must be a function.")
	}
	if err := checkRequired(n.RequiredToolNames); err != nil {
		return err
	}
	n.RequiredToolNames = slices.Clone(n.RequiredToolNames)
	r.mu.Lock()
	defer r.mu.Unlock()
	used := newTaken()
	for i := range r.list {
		used.add(r.list[i].ID, r.list[i].GlobalName)
	}
	if err := used.check(n.ID, n.GlobalName); err != nil {
		return err
	}
	r.list = append(r.list, registered{pluginID, n})
	return nil
}

// Clear removes the namespaces of a plugin that was disabled, removed or rolled back, and only those.
func (r *Registry) Clear(pluginID string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.list = slices.DeleteFunc(r.list, func(n registered) bool { return n.pluginID == pluginID })
}

// ClearAll removes every namespace; it is for tests.
func (r *Registry) ClearAll() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.list = nil
}

// Namespaces makes the descriptors of a run: those visible in its catalogue, in order of registration,
// each with a scope made for this run. A scope that breaks contract 8.5, or cannot be made, is an error.
func (r *Registry) Namespaces(ctx context.Context, run RunContext, c *Catalog) ([]protocol.Namespace, error) {
	r.mu.Lock()
	list := slices.Clone(r.list)
	r.mu.Unlock()
	var out []protocol.Namespace
	for _, n := range list {
		if !c.owns(n.pluginID, n.RequiredToolNames) {
			continue
		}
		scope, err := n.CreateScope(ctx, run)
		if err != nil {
			return nil, err
		}
		node, err := serialiseScope(n.ID, scope)
		if err != nil {
			return nil, err
		}
		out = append(out, protocol.Namespace{
			ID: n.ID, PluginID: n.pluginID, GlobalName: n.GlobalName, Description: n.Description, Prompt: n.Prompt,
			RequiredToolNames: slices.Clone(n.RequiredToolNames), Scope: node,
		})
	}
	return out, nil
}

// owns reports whether all tools are the plugin's own and in the catalogue (contract 8.4).
func (c *Catalog) owns(pluginID string, names []string) bool {
	for _, name := range names {
		if c.pluginTool(pluginID, name) == nil {
			return false
		}
	}
	return true
}
