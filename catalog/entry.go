package catalog

import (
	"encoding/json"
	"sync"

	"codemode/catalog/internal/ordered"
	"codemode/protocol"
)

// Entry is one tool of a catalogue. It is immutable and safe for concurrent use.
type Entry struct {
	tool  protocol.Tool
	id    string
	owner string

	compactOnce sync.Once
	compact     []byte
	input       string // hint, contract 6.5
	output      string // hint, "" where there is no complete one

	schemaOnce sync.Once
	schema     *outputSchema // nil where the tool declares no output
	schemaErr  error
}

// newEntry makes the entry of a tool whose fields were checked.
func newEntry(t protocol.Tool, id string) *Entry {
	t.Parameters = ordered.Compact(t.Parameters)
	if t.Source == protocol.SourceOpenClaw {
		t.OutputSchema = ordered.Compact(t.OutputSchema)
	} else {
		t.OutputSchema = nil // claims of MCP and client tools are ignored (contract 6.9)
	}
	if string(t.Parameters) == "null" {
		t.Parameters = nil
	}
	if string(t.OutputSchema) == "null" {
		t.OutputSchema = nil
	}
	return &Entry{tool: t, id: id, owner: ownerOf(&t)}
}

// idOf joins source, owner and name as they are (contract 6.2).
func idOf(t *protocol.Tool) string {
	return string(t.Source) + ":" + ownerOf(t) + ":" + t.Name
}

// ownerOf applies the defaults of protocol 3.
func ownerOf(t *protocol.Tool) string {
	switch {
	case t.Owner != "":
		return t.Owner
	case t.Source == protocol.SourceClient:
		return "client"
	case t.Source == protocol.SourceMCP && t.MCP != nil:
		return serverOf(t.MCP)
	default:
		return ownerCore
	}
}

const ownerCore = "core"

func serverOf(m *protocol.MCPTool) string {
	if m.SafeServerName != "" {
		return m.SafeServerName
	}
	return m.ServerName
}

// group is the place of the entry's kind in the order of contract 6.3.
func (e *Entry) group() int {
	switch {
	case e.tool.Source == protocol.SourceClient:
		return 4
	case e.tool.Source == protocol.SourceMCP:
		return 3
	case e.owner == ownerCore:
		return 0
	case e.tool.Bundled:
		return 1
	default:
		return 2
	}
}

// ID is the exact id: source, owner and name joined by colons.
func (e *Entry) ID() string { return e.id }

// Name is the tool's own name.
func (e *Entry) Name() string { return e.tool.Name }

// Source says where the tool comes from.
func (e *Entry) Source() protocol.Source { return e.tool.Source }

// SourceName is the owner: core, a plugin id, an MCP server or a client.
func (e *Entry) SourceName() string { return e.owner }

// Tool is the wire form of the entry; it must not be changed.
func (e *Entry) Tool() *protocol.Tool { return &e.tool }

// ReplaySafe reports whether a restart-safe cell may call the entry by its exact id (contract 13).
func (e *Entry) ReplaySafe() bool { return e.tool.ReplaySafe && e.tool.Source != protocol.SourceMCP }

// ReplaySafeCall reports whether a restart-safe cell may make a call, callValue or convenience request
// with this first argument: only the exact id of a replay-safe entry will do, a bare name will not
// (contract 13).
func (c *Catalog) ReplaySafeCall(ref string) bool {
	e := c.byID[trim(ref)]
	return e != nil && e.ReplaySafe()
}

// Compact is the entry as JSON in the form of ALL_TOOLS (contract 5.3). It must not be changed.
func (e *Entry) Compact() []byte {
	e.compactOnce.Do(func() {
		e.input, e.output = hintsOf(&e.tool)
		b := make([]byte, 0, 160+len(e.tool.Description)+len(e.input)+len(e.output))
		b = append(b, `{"id":`...)
		b = ordered.AppendString(b, e.id)
		b = append(b, `,"source":"`...)
		b = append(b, e.tool.Source...)
		b = append(b, `","sourceName":`...)
		b = ordered.AppendString(b, e.owner)
		b = append(b, `,"name":`...)
		b = ordered.AppendString(b, e.tool.Name)
		if e.tool.Label != "" {
			b = append(b, `,"label":`...)
			b = ordered.AppendString(b, e.tool.Label)
		}
		b = append(b, `,"description":`...)
		b = ordered.AppendString(b, e.tool.Description)
		b = append(b, `,"input":`...)
		b = ordered.AppendString(b, e.input)
		if e.output != "" {
			b = append(b, `,"output":`...)
			b = ordered.AppendString(b, e.output)
		}
		e.compact = append(b, '}')
	})
	return e.compact
}

// hints gives the texts of contract 6.5; output is "" where there is no complete one.
func (e *Entry) hints() (input, output string) {
	e.Compact()
	return e.input, e.output
}

// Described is Compact with parameters and, where the tool has a trusted one, outputSchema, each as it
// came (contract 5.4).
func (e *Entry) Described() []byte {
	compact := e.Compact()
	b := make([]byte, 0, len(compact)+40+len(e.tool.Parameters)+len(e.tool.OutputSchema))
	b = append(b, compact[:len(compact)-1]...)
	b = append(b, `,"parameters":`...)
	b = append(b, e.parameters()...)
	if e.tool.OutputSchema != nil {
		b = append(b, `,"outputSchema":`...)
		b = append(b, e.tool.OutputSchema...)
	}
	return append(b, '}')
}

func (e *Entry) parameters() json.RawMessage {
	if e.tool.Parameters == nil {
		return json.RawMessage("{}")
	}
	return e.tool.Parameters
}

// Value gives what callValue, convenience functions and plugin namespaces resolve to: details of the
// tool result where it has that key, else the whole result (contract 5.4, 8.7).
func Value(result json.RawMessage) json.RawMessage {
	if details := Details(result); details != nil {
		return details
	}
	return result
}

// Details gives the member "details" of a tool result, nil where there is none.
func Details(result json.RawMessage) json.RawMessage {
	var fields map[string]json.RawMessage
	if json.Unmarshal(result, &fields) != nil {
		return nil
	}
	return fields["details"]
}

// Envelope gives what tools.call resolves to: the compact entry and the raw tool result (contract 5.4).
func Envelope(e *Entry, result json.RawMessage) json.RawMessage {
	compact := e.Compact()
	b := make([]byte, 0, len(compact)+len(result)+24)
	b = append(b, `{"tool":`...)
	b = append(b, compact...)
	b = append(b, `,"result":`...)
	if len(result) == 0 {
		b = append(b, "null"...)
	}
	b = append(b, result...)
	return append(b, '}')
}
