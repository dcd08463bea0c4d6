package protocol

import (
	"encoding/json"
	"errors"
	"fmt"
)

// Source says where a tool comes from (protocol 3).
type Source string

// The sources.
const (
	SourceOpenClaw Source = "openclaw"
	SourceMCP      Source = "mcp"
	SourceClient   Source = "client"
)

// Catalog is the set of tools of a run after policy, as a gateway sends or stores it (protocol 3).
type Catalog struct {
	Tools      []Tool      `json:"tools"`
	Namespaces []Namespace `json:"namespaces,omitempty"`
}

// Tool is one catalogue entry as sent (protocol 3).
type Tool struct {
	Source       Source          `json:"source"`
	Owner        string          `json:"owner,omitempty"`
	Name         string          `json:"name"`
	Label        string          `json:"label,omitempty"`
	Description  string          `json:"description,omitempty"`
	Parameters   json.RawMessage `json:"parameters,omitempty"`
	OutputSchema json.RawMessage `json:"outputSchema,omitempty"`
	ReplaySafe   bool            `json:"replaySafe,omitempty"`
	DirectOnly   bool            `json:"directOnly,omitempty"`
	Control      bool            `json:"control,omitempty"`
	Bundled      bool            `json:"bundled,omitempty"`
	MCP          *MCPTool        `json:"mcp,omitempty"`
}

// MCPTool is what an MCP entry has besides (protocol 3).
type MCPTool struct {
	ServerName     string       `json:"serverName"`
	SafeServerName string       `json:"safeServerName,omitempty"`
	ToolName       string       `json:"toolName"`
	Operation      MCPOperation `json:"operation,omitempty"`
}

// MCPOperation is what an MCP entry does; "" is OperationTool.
type MCPOperation string

// The operations of MCP entries.
const (
	OperationTool          MCPOperation = "tool"
	OperationResourcesList MCPOperation = "resources_list"
	OperationResourcesRead MCPOperation = "resources_read"
	OperationPromptsList   MCPOperation = "prompts_list"
	OperationPromptsGet    MCPOperation = "prompts_get"
)

// Namespace is a plugin's namespace as it travels with a run (protocol 3, contract 8).
type Namespace struct {
	ID                string   `json:"id"`
	PluginID          string   `json:"pluginId"`
	GlobalName        string   `json:"globalName"`
	Description       string   `json:"description,omitempty"`
	Prompt            string   `json:"prompt,omitempty"`
	RequiredToolNames []string `json:"requiredToolNames"`
	Scope             Node     `json:"scope"`
}

// NodeKind tells the forms of a Node apart.
type NodeKind string

// The kinds of node.
const (
	NodeObject   NodeKind = "object"
	NodeArray    NodeKind = "array"
	NodeValue    NodeKind = "value"
	NodeFunction NodeKind = "function"
)

// Node is one value of a namespace's scope (protocol 3).
type Node struct {
	Kind     NodeKind        `json:"kind"`
	Entries  []NodeEntry     `json:"entries,omitempty"`  // object, in order
	Items    []Node          `json:"items,omitempty"`    // array
	Value    json.RawMessage `json:"value,omitempty"`    // value
	ToolName string          `json:"toolName,omitempty"` // function
	Params   []string        `json:"params,omitempty"`   // function: input keys of positional arguments; nil: first argument is the input
}

// NodeEntry is one member of an object node; on the wire a pair [key, node].
type NodeEntry struct {
	Key  string
	Node Node
}

// MarshalJSON writes the pair.
func (e NodeEntry) MarshalJSON() ([]byte, error) { return Marshal([]any{e.Key, e.Node}) }

// UnmarshalJSON reads the pair.
func (e *NodeEntry) UnmarshalJSON(data []byte) error {
	var pair []json.RawMessage
	if err := json.Unmarshal(data, &pair); err != nil {
		return err
	}
	if len(pair) != 2 {
		return errors.New("namespace entry is not a pair of key and node")
	}
	if err := json.Unmarshal(pair[0], &e.Key); err != nil {
		return fmt.Errorf("namespace entry key: %w", err)
	}
	return json.Unmarshal(pair[1], &e.Node)
}
