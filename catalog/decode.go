package catalog

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"

	"codemode/catalog/internal/ordered"
	"codemode/protocol"
)

// Decode reads the wire text of a protocol.Catalog. Errors are as those of Build; a key that is there
// twice and text that is not UTF-8 are refused anywhere in it.
func Decode(data []byte) (*Catalog, error) {
	root, err := ordered.Parse(bytes.Clone(data))
	if err != nil {
		return nil, invalidReason(err.Error())
	}
	if root.Kind != ordered.Object {
		return nil, invalidReason("it must be an object")
	}
	var wire protocol.Catalog
	tools := root.Get("tools")
	switch tools.Kind {
	case ordered.Array:
		wire.Tools = make([]protocol.Tool, len(tools.Items))
	case ordered.Null: // a Go gateway's nil slice
	default:
		return nil, invalidReason("tools must be an array")
	}
	for i := range tools.Items {
		if wire.Tools[i], err = toolFrom(&tools.Items[i]); err != nil {
			return nil, invalid("tools", i, err)
		}
	}
	if wire.Namespaces, err = namespacesFrom(root.Get("namespaces")); err != nil {
		return nil, err
	}
	return build(wire)
}

// DecodeNamespaces reads the field "namespaces" of an exec job; nothing and null are none. Errors are
// those of Decode.
func DecodeNamespaces(data json.RawMessage) ([]protocol.Namespace, error) {
	if len(data) == 0 {
		return nil, nil
	}
	list, err := ordered.Parse(bytes.Clone(data))
	if err != nil {
		return nil, invalidReason("namespaces: " + err.Error())
	}
	return namespacesFrom(&list)
}

const maxReason = 400

func invalidReason(reason string) *protocol.Error {
	if len(reason) > maxReason {
		reason = string(bytes.ToValidUTF8([]byte(reason[:maxReason]), nil)) + "…"
	}
	return &protocol.Error{Detail: protocol.DetailInvalidInput, Message: "code mode catalog is invalid: " + reason}
}

func invalid(list string, index int, err error) *protocol.Error {
	return invalidReason(fmt.Sprintf("%s[%d].%v", list, index, err))
}

// fields reads members of an object by type and keeps the first mismatch. null counts as absent.
type fields struct {
	of  *ordered.Value
	err error
}

func (f *fields) mismatch(key, want string) {
	if f.err == nil {
		f.err = fmt.Errorf("%s must be %s", key, want)
	}
}

func (f *fields) text(key string) string {
	v := f.of.Get(key)
	if v.Given() && v.Kind != ordered.String {
		f.mismatch(key, "a string")
	}
	return v.Str
}

func (f *fields) flag(key string) bool {
	v := f.of.Get(key)
	if v.Given() && v.Kind != ordered.Bool {
		f.mismatch(key, "a boolean")
	}
	return v.True
}

func (f *fields) raw(key string) json.RawMessage {
	if v := f.of.Get(key); v.Given() {
		return json.RawMessage(v.Raw)
	}
	return nil
}

func toolFrom(v *ordered.Value) (protocol.Tool, error) {
	if v.Kind != ordered.Object {
		return protocol.Tool{}, errors.New("source must be given: the entry is no object")
	}
	f := fields{of: v}
	t := protocol.Tool{
		Source: protocol.Source(f.text("source")), Owner: f.text("owner"), Name: f.text("name"),
		Label: f.text("label"), Description: f.text("description"),
		Parameters: f.raw("parameters"), OutputSchema: f.raw("outputSchema"),
		ReplaySafe: f.flag("replaySafe"), DirectOnly: f.flag("directOnly"),
		Control: f.flag("control"), Bundled: f.flag("bundled"),
	}
	if m := v.Get("mcp"); m.Kind == ordered.Object && t.Source == protocol.SourceMCP {
		in := fields{of: m}
		t.MCP = &protocol.MCPTool{
			ServerName: in.text("serverName"), SafeServerName: in.text("safeServerName"),
			ToolName: in.text("toolName"), Operation: protocol.MCPOperation(in.text("operation")),
		}
		if in.err != nil && f.err == nil {
			f.err = fmt.Errorf("mcp.%w", in.err)
		}
	}
	return t, f.err
}

// checkTool looks at what the type of a field does not say.
func checkTool(t *protocol.Tool) error {
	switch t.Source {
	case protocol.SourceOpenClaw, protocol.SourceClient:
	case protocol.SourceMCP:
		if t.MCP == nil {
			return errors.New("mcp must be an object for source mcp")
		}
		if blank(t.MCP.ServerName) {
			return errors.New("mcp.serverName must be a non-empty string")
		}
		if blank(t.MCP.ToolName) {
			return errors.New("mcp.toolName must be a non-empty string")
		}
		switch t.MCP.Operation {
		case "", protocol.OperationTool, protocol.OperationResourcesList, protocol.OperationResourcesRead,
			protocol.OperationPromptsList, protocol.OperationPromptsGet:
		default:
			return errors.New("mcp.operation must be tool, resources_list, resources_read, prompts_list or prompts_get")
		}
	default:
		return errors.New("source must be openclaw, mcp or client")
	}
	if blank(t.Name) {
		return errors.New("name must be a non-empty string")
	}
	return nil
}

// checkBuilt looks at what Decode has seen while it read: texts and raw JSON.
func checkBuilt(t *protocol.Tool) error {
	for _, f := range []struct{ key, text string }{
		{"source", string(t.Source)}, {"owner", t.Owner}, {"name", t.Name}, {"label", t.Label}, {"description", t.Description},
	} {
		if !utf8.ValidString(f.text) {
			return fmt.Errorf("%s: %w", f.key, ordered.ErrUTF8)
		}
	}
	if m := t.MCP; m != nil && !(utf8.ValidString(m.ServerName) && utf8.ValidString(m.SafeServerName) && utf8.ValidString(m.ToolName)) {
		return fmt.Errorf("mcp: %w", ordered.ErrUTF8)
	}
	for _, f := range []struct {
		key string
		raw json.RawMessage
	}{{"parameters", t.Parameters}, {"outputSchema", t.OutputSchema}} {
		if len(f.raw) == 0 {
			continue
		}
		if _, err := ordered.Parse(f.raw); err != nil {
			return fmt.Errorf("%s: %w", f.key, err)
		}
	}
	return nil
}
