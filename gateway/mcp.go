package gateway

import (
	"encoding/json"
	"fmt"

	"codemode/protocol"
)

// MCPTools maps a tool list in the MCP shape, the result of tools/list or just its "tools", to catalogue entries of a
// server. Names are kept: workers make the names of contract 7.1 from them. readOnlyHint marks a tool as one that may be
// repeated only where trustHints is set, since it is the server's own claim. What is no tool list is ErrInput.
func MCPTools(serverName string, list json.RawMessage, trustHints bool) ([]protocol.Tool, error) {
	var page struct {
		Tools json.RawMessage `json:"tools"`
	}
	if err := json.Unmarshal(list, &page); err == nil && page.Tools != nil {
		list = page.Tools
	}
	var given []struct {
		Name        string          `json:"name"`
		Title       string          `json:"title"`
		Description string          `json:"description"`
		InputSchema json.RawMessage `json:"inputSchema"`
		Annotations struct {
			Title        string `json:"title"`
			ReadOnlyHint bool   `json:"readOnlyHint"`
		} `json:"annotations"`
	}
	if err := json.Unmarshal(list, &given); err != nil {
		return nil, fmt.Errorf("%w: MCP tool list of server %q: %w", ErrInput, serverName, err)
	}
	tools := make([]protocol.Tool, 0, len(given))
	for i, g := range given {
		if g.Name == "" || serverName == "" {
			return nil, fmt.Errorf("%w: MCP tool %d of server %q: name or server is empty", ErrInput, i, serverName)
		}
		orDefault(&g.Title, g.Annotations.Title)
		tools = append(tools, protocol.Tool{
			Source: protocol.SourceMCP, Name: g.Name, Label: g.Title, Description: g.Description, Parameters: g.InputSchema,
			ReplaySafe: trustHints && g.Annotations.ReadOnlyHint,
			MCP:        &protocol.MCPTool{ServerName: serverName, ToolName: g.Name, Operation: protocol.OperationTool},
		})
	}
	return tools, nil
}

// MCPCall gives the parameters of tools/call for a call of an MCP entry: the tool's name and the arguments object.
func MCPCall(call *Call) (json.RawMessage, error) {
	arguments := call.Input
	if len(arguments) == 0 {
		arguments = json.RawMessage("{}")
	}
	params, err := protocol.Marshal(struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	}{call.ToolName, arguments})
	if err != nil {
		return nil, fmt.Errorf("%w: MCP arguments: %w", ErrInput, err)
	}
	return params, nil
}

// MCPResult makes a handler's answer out of the result of tools/call. The cell gets it whole (contract 7.2): isError is
// a result too, not a failure.
func MCPResult(result json.RawMessage) (ToolResult, error) {
	var object map[string]json.RawMessage
	if err := json.Unmarshal(result, &object); err != nil || object == nil {
		return nil, fmt.Errorf("%w: MCP result is no object", ErrMalformed)
	}
	return ToolResult(result), nil
}
