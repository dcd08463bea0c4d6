package gateway

import (
	"encoding/json"
	"strings"
)

// ChatMessage is a message of the chat completions shape: an assistant message with tool_calls, or a tool message.
type ChatMessage struct {
	Role       string         `json:"role"` // "assistant" or "tool"
	Content    *string        `json:"content"`
	ToolCalls  []ChatToolCall `json:"tool_calls,omitempty"`
	ToolCallID string         `json:"tool_call_id,omitempty"`
}

// ChatToolCall is an entry of tool_calls.
type ChatToolCall struct {
	ID       string       `json:"id"`
	Type     string       `json:"type"` // "function"
	Function ChatFunction `json:"function"`
}

// ChatFunction names a function and has its arguments as JSON text.
type ChatFunction struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// BlockMessage is a message of the content block shape: tool_use blocks of the assistant, tool_result blocks of the user.
type BlockMessage struct {
	Role    string  `json:"role"` // "assistant" or "user"
	Content []Block `json:"content"`
}

// Block is a tool_use or a tool_result.
type Block struct {
	Type      string          `json:"type"`
	ID        string          `json:"id,omitempty"`    // tool_use
	Name      string          `json:"name,omitempty"`  // tool_use
	Input     json.RawMessage `json:"input,omitempty"` // tool_use: an object
	ToolUseID string          `json:"tool_use_id,omitempty"`
	Content   string          `json:"content,omitempty"` // tool_result
	IsError   bool            `json:"is_error,omitempty"`
}

// ChatMessages gives messages in the chat completions shape. Ids join the parent's and the call's, since call ids repeat
// from run to run. That shape has no mark for errors: their text is the content.
func ChatMessages(messages []Message) []ChatMessage {
	out := make([]ChatMessage, 0, len(messages))
	for _, m := range messages {
		if m.Role == RoleCall {
			out = append(out, ChatMessage{Role: "assistant", ToolCalls: []ChatToolCall{{
				ID: m.id(), Type: "function", Function: ChatFunction{Name: m.function(), Arguments: string(m.object())},
			}}})
			continue
		}
		content := m.text()
		out = append(out, ChatMessage{Role: "tool", ToolCallID: m.id(), Content: &content})
	}
	return out
}

// BlockMessages gives messages in the content block shape.
func BlockMessages(messages []Message) []BlockMessage {
	out := make([]BlockMessage, 0, len(messages))
	for _, m := range messages {
		if m.Role == RoleCall {
			out = append(out, BlockMessage{Role: "assistant", Content: []Block{{Type: "tool_use", ID: m.id(), Name: m.function(), Input: m.object()}}})
			continue
		}
		out = append(out, BlockMessage{Role: "user", Content: []Block{{Type: "tool_result", ToolUseID: m.id(), Content: m.text(), IsError: m.IsError}}})
	}
	return out
}

func (m *Message) id() string {
	if m.Parent == "" {
		return m.CallID
	}
	return m.Parent + "_" + m.CallID
}

// function is a name that both shapes take: up to 64 of A-Za-z0-9_-.
func (m *Message) function() string {
	name := m.ToolName
	if name == "" {
		name = m.ToolID[strings.LastIndexByte(m.ToolID, ':')+1:]
	}
	name = strings.Map(func(r rune) rune {
		if 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '_' || r == '-' {
			return r
		}
		return '_'
	}, name)
	if name == "" {
		return "tool"
	}
	return name[:min(len(name), 64)]
}

// object is the input, which has to be an object in both shapes.
func (m *Message) object() json.RawMessage {
	switch {
	case len(m.Input) == 0 || string(m.Input) == "null":
		return json.RawMessage("{}")
	case m.Input[0] == '{':
		return m.Input
	}
	return append(append(json.RawMessage(`{"input":`), m.Input...), '}')
}

// text is the content: a string as it is, anything else as JSON.
func (m *Message) text() string {
	var s string
	if len(m.Content) > 0 && m.Content[0] == '"' && json.Unmarshal(m.Content, &s) == nil {
		return s
	}
	return string(m.Content)
}
