package catalog

import (
	"encoding/json"
	"strings"

	"codemode/catalog/internal/ordered"
)

var errOneObject error = rejection("MCP namespace tools accept one object argument.")

// input makes the input of a call from its arguments: one plain object or nothing, defaults filled in,
// nothing required missing (contract 7.2).
func (t *mcpTool) input(args Args) (json.RawMessage, error) {
	given := json.RawMessage("{}")
	switch args.Count {
	case 0:
	case 1:
		given = args.Values[0]
	default:
		return nil, errOneObject
	}
	object, err := ordered.Parse(given)
	if err != nil || object.Kind != ordered.Object {
		return nil, errOneObject
	}
	t.inputOnce.Do(t.readSchema)
	have := make(map[string]bool, len(object.Members))
	for i := range object.Members {
		have[object.Members[i].Key] = true
	}
	b := append([]byte(nil), object.Raw[:len(object.Raw)-1]...)
	empty := len(object.Members) == 0
	for i := range t.defaults {
		d := &t.defaults[i]
		if have[d.Key] {
			continue
		}
		have[d.Key] = true
		if !empty {
			b = append(b, ',')
		}
		empty = false
		b = append(append(ordered.AppendString(b, d.Key), ':'), d.Value.Raw...)
	}
	var missing []string
	for _, key := range t.required {
		if !have[key] {
			missing = append(missing, key)
		}
	}
	switch len(missing) {
	case 0:
		return append(b, '}'), nil
	case 1:
		return nil, rejection("Missing required MCP namespace argument: " + missing[0])
	default:
		return nil, rejection("Missing required MCP namespace arguments: " + strings.Join(missing, ", "))
	}
}

// readSchema takes from the schema what calls need. It looks at the top level alone, whatever references
// the schema has.
func (t *mcpTool) readSchema() {
	schema, err := ordered.Parse(t.entry.parameters())
	if err != nil || schema.Kind != ordered.Object {
		return
	}
	props := schema.Get("properties")
	for i := range props.Members {
		p := &props.Members[i]
		if p.Value.Kind != ordered.Object {
			continue
		}
		if d := p.Value.Get("default"); d.Kind != ordered.Absent {
			t.defaults = append(t.defaults, ordered.Member{Key: p.Key, Value: ordered.Value{Kind: d.Kind, Raw: ordered.Compact(d.Raw)}})
		}
	}
	t.required = requiredList(&schema)
}

// requiredList gives the required keys of a schema in order, each once.
func requiredList(schema *ordered.Value) []string {
	var list []string
	seen := map[string]bool{}
	r := schema.Get("required")
	for i := range r.Items {
		if key := r.Items[i]; key.Kind == ordered.String && !seen[key.Str] {
			seen[key.Str] = true
			list = append(list, key.Str)
		}
	}
	return list
}
