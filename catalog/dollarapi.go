package catalog

import (
	"strconv"

	"codemode/catalog/internal/ordered"
	"codemode/protocol"
)

const (
	rootNote   = "Read API.read(\"mcp/<server>.d.ts\") or call MCP.<server>.$api() for the tools of a server."
	serverNote = "Call each method with one object argument of the declared input type; the result is the raw MCP result."
)

// DollarAPI is the answer of MCP.$api(), for server "", and of MCP.<server>.$api(selector, { schema }),
// where server is the identifier (contract 7.3). A blank selector, which an absent one counts as, picks
// every tool. The error is for a server that is not there, which the guest controller cannot ask for.
func (v *View) DollarAPI(server string, selector string, schema bool) ([]byte, error) {
	if server == "" {
		return v.rootAPI(), nil
	}
	s := v.servers().byName[server]
	if s == nil {
		return nil, rejection("Code mode namespace path is not callable: " + server + ".$api")
	}
	return s.api(trim(selector), schema), nil
}

func (v *View) rootAPI() []byte {
	tree := v.servers()
	b := ordered.AppendString([]byte(`{"kind":"mcp_api","scope":"root","header":`), tree.index.content)
	b = append(b, `,"servers":[`...)
	for i, s := range tree.servers {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(s.appendNames(append(b, '{')), `,"toolCount":`...)
		b = append(strconv.AppendInt(b, int64(len(s.tools)), 10), '}')
	}
	return append(ordered.AppendString(append(b, `],"note":`...), rootNote), '}')
}

func (s *mcpServer) appendNames(b []byte) []byte {
	b = ordered.AppendString(append(b, `"identifier":`...), s.identifier)
	return ordered.AppendString(append(b, `,"serverName":`...), s.serverName)
}

func (s *mcpServer) api(selector string, schema bool) []byte {
	selected, scope := s.tools, "server"
	if selector != "" {
		selected = nil
		for _, t := range s.tools {
			if t.method() == selector || t.member() == selector || t.entry.tool.MCP.ToolName == selector {
				selected = append(selected, t)
			}
		}
		if len(selected) == 1 {
			scope = "tool"
		}
	}
	b := append([]byte(`{"kind":"mcp_api","scope":"`), scope...)
	b = append(s.appendNames(append(b, `","server":{`...)), `},"header":`...)
	header := s.declaration().content
	if selector != "" {
		header = s.header(selected)
	}
	b = append(ordered.AppendString(b, header), `,"tools":[`...)
	for i, t := range selected {
		if i > 0 {
			b = append(b, ',')
		}
		b = t.appendAPI(b)
	}
	b = append(b, ']')
	if schema {
		b = append(b, `,"schemas":{`...)
		for i, t := range selected {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(append(ordered.AppendString(b, t.method()), ':'), t.entry.parameters()...)
		}
		b = append(b, '}')
	}
	return append(ordered.AppendString(append(b, `,"note":`...), serverNote), '}')
}

func (t *mcpTool) appendAPI(b []byte) []byte {
	m := t.entry.tool.MCP
	operation := m.Operation
	if operation == "" {
		operation = protocol.OperationTool
	}
	b = ordered.AppendString(append(b, `{"method":`...), t.method())
	b = appendStrings(append(b, `,"path":`...), t.path)
	b = ordered.AppendString(append(b, `,"mcpTool":`...), m.ToolName)
	b = ordered.AppendString(append(b, `,"operation":`...), string(operation))
	b = ordered.AppendString(append(b, `,"description":`...), t.entry.tool.Description)
	return append(b, '}')
}
