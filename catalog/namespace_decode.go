package catalog

import (
	"errors"
	"fmt"

	"codemode/catalog/internal/ordered"
	"codemode/protocol"
)

// namespacesFrom reads descriptors by their shape; what they must hold is checked by ForRun.
func namespacesFrom(list *ordered.Value) ([]protocol.Namespace, error) {
	if !list.Given() {
		return nil, nil
	}
	if list.Kind != ordered.Array {
		return nil, invalidReason("namespaces must be an array")
	}
	out := make([]protocol.Namespace, len(list.Items))
	for i := range list.Items {
		n, err := namespaceFrom(&list.Items[i])
		if err != nil {
			return nil, invalid("namespaces", i, err)
		}
		out[i] = n
	}
	return out, nil
}

func namespaceFrom(v *ordered.Value) (protocol.Namespace, error) {
	if v.Kind != ordered.Object {
		return protocol.Namespace{}, errors.New("id must be given: the entry is no object")
	}
	f := fields{of: v}
	// What contract 8.2 and 8.5 have a text for is left empty where its type is wrong, for ForRun to refuse.
	n := protocol.Namespace{
		ID: v.Get("id").Str, PluginID: v.Get("pluginId").Str, GlobalName: v.Get("globalName").Str,
		Description: f.text("description"), Prompt: f.text("prompt"),
	}
	required := v.Get("requiredToolNames")
	for i := range required.Items {
		n.RequiredToolNames = append(n.RequiredToolNames, required.Items[i].Str)
	}
	scope := v.Get("scope")
	if f.err != nil || scope.Kind != ordered.Object {
		return n, f.err
	}
	var err error
	if n.Scope, err = nodeFrom(scope, 0); err != nil {
		return n, fmt.Errorf("scope%w", err)
	}
	return n, nil
}

func (f *fields) list(key string) *ordered.Value {
	v := f.of.Get(key)
	if v.Given() && v.Kind != ordered.Array {
		f.mismatch(key, "an array")
	}
	return v
}

func (f *fields) texts(key string) []string {
	v := f.list(key)
	if v.Kind != ordered.Array {
		return nil
	}
	list := make([]string, len(v.Items))
	for i := range v.Items {
		if v.Items[i].Kind != ordered.String {
			f.mismatch(key, "an array of strings")
		}
		list[i] = v.Items[i].Str
	}
	return list
}

// nodeFrom reads a node; an error begins with the rest of the path to the place.
func nodeFrom(v *ordered.Value, depth int) (protocol.Node, error) {
	if depth > maxScopeDepth {
		return protocol.Node{}, fmt.Errorf(" is nested more than %d levels", maxScopeDepth)
	}
	f := fields{of: v}
	n := protocol.Node{Kind: protocol.NodeKind(f.text("kind"))}
	switch n.Kind {
	case protocol.NodeObject:
		entries := f.list("entries")
		n.Entries = make([]protocol.NodeEntry, len(entries.Items))
		for i := range entries.Items {
			pair := &entries.Items[i]
			if len(pair.Items) != 2 || pair.Items[0].Kind != ordered.String {
				return n, fmt.Errorf(".entries[%d] must be a pair of key and node", i)
			}
			inner, err := nodeFrom(&pair.Items[1], depth+1)
			if err != nil {
				return n, nested("entries", i, depth, err)
			}
			n.Entries[i] = protocol.NodeEntry{Key: pair.Items[0].Str, Node: inner}
		}
	case protocol.NodeArray:
		items := f.list("items")
		n.Items = make([]protocol.Node, len(items.Items))
		for i := range items.Items {
			inner, err := nodeFrom(&items.Items[i], depth+1)
			if err != nil {
				return n, nested("items", i, depth, err)
			}
			n.Items[i] = inner
		}
	case protocol.NodeFunction:
		n.ToolName, n.Params = v.Get("toolName").Str, f.texts("params")
	case protocol.NodeValue:
		n.Value = f.raw("value")
	default:
		return n, errors.New(".kind must be object, array, value or function")
	}
	if f.err != nil {
		return n, fmt.Errorf(".%w", f.err)
	}
	return n, nil
}

// nested names the outer steps of a path; deep ones are left out, to keep the text short.
func nested(list string, index, depth int, err error) error {
	if depth > 8 {
		return err
	}
	return fmt.Errorf(".%s[%d]%w", list, index, err)
}
