package catalog

import (
	"encoding/json"
	"strings"

	"codemode/protocol"
)

// HookToolKind is the kind of tool that before-tool-call hooks see for the outer exec (contract 3.9).
const HookToolKind = "code_mode_exec"

// ExecHook is what a gateway's before-tool-call event of the outer exec carries (contract 3.9).
type ExecHook struct {
	ToolKind string `json:"toolKind"`
	// ToolInputKind is the cell's language; "" where the model named one that does not exist.
	ToolInputKind protocol.Language `json:"toolInputKind,omitempty"`
	AgentID       string            `json:"agentId,omitempty"`
	// Params are the arguments of exec with both code and command, where either was given.
	Params map[string]json.RawMessage `json:"params"`
}

// NewExecHook makes the event for arguments as the model gave them; anything but an object counts as {}.
func NewExecHook(agentID string, arguments json.RawMessage) ExecHook {
	h := ExecHook{ToolKind: HookToolKind, ToolInputKind: protocol.JavaScript, AgentID: agentID, Params: members(arguments)}
	switch code, command := h.Params["code"], h.Params["command"]; {
	case text(code) == "" && text(command) != "":
		h.Params["code"] = command
	case text(code) != "" && text(command) == "":
		h.Params["command"] = code
	}
	if raw := h.Params["language"]; len(raw) > 0 && string(raw) != "null" {
		switch h.ToolInputKind = protocol.Language(text(raw)); h.ToolInputKind {
		case protocol.JavaScript, protocol.TypeScript:
		default:
			h.ToolInputKind = ""
		}
	}
	return h
}

// Apply gives the input of the exec job after the hooks have made params of the event's. Where they changed
// exactly one of code and command, the other follows; contract 4.1 judges the rest.
func (h ExecHook) Apply(params json.RawMessage) (json.RawMessage, error) {
	after := members(params)
	code, command := changed(h.Params["code"], after["code"]), changed(h.Params["command"], after["command"])
	switch {
	case code && !command:
		follow(after, "command", "code")
	case command && !code:
		follow(after, "code", "command")
	}
	return protocol.Marshal(after)
}

func follow(fields map[string]json.RawMessage, key, leader string) {
	if value, ok := fields[leader]; ok {
		fields[key] = value
	} else {
		delete(fields, key)
	}
}

// changed compares two arguments as contract 4.1 reads them.
func changed(before, after json.RawMessage) bool { return text(before) != text(after) }

// text gives a string that is not blank; everything else counts as absent.
func text(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) != nil || blank(s) {
		return ""
	}
	return s
}

// members gives the fields of an object, none of anything else.
func members(raw json.RawMessage) map[string]json.RawMessage {
	fields := map[string]json.RawMessage{}
	if strings.HasPrefix(trim(string(raw)), "{") {
		_ = json.Unmarshal(raw, &fields) // what is no JSON has no fields
	}
	return fields
}
