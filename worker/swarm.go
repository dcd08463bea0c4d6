package worker

import (
	"encoding/json"
	"strings"

	"codemode/protocol"
)

// checkSwarm makes the host's checks of contract 9.3 and gives the rejection, "" for none.
func (r *run) checkSwarm(method protocol.Method, payload json.RawMessage) string {
	if !r.rec.Swarm.Enabled {
		return "code mode swarm globals are disabled."
	}
	var args []json.RawMessage
	if json.Unmarshal(payload, &args) != nil {
		args = nil
	}
	arg := func(i int) json.RawMessage {
		if i < len(args) {
			return args[i]
		}
		return nil
	}
	switch method {
	case protocol.MethodAgentSpawn:
		return r.checkSpawn(arg(0), arg(1))
	case protocol.MethodAgentWait:
		if blank(arg(0)) {
			return "agentWait run id must be a non-empty string."
		}
		if r.rec.Scope.Session() == "" {
			return "agents.run wait requires session identity."
		}
	default:
		var kind string
		if json.Unmarshal(arg(0), &kind) != nil || kind != "phase" && kind != "log" || blank(arg(1)) {
			return "swarmNote requires phase/log kind and non-empty text."
		}
	}
	return ""
}

func (r *run) checkSpawn(prompt, options json.RawMessage) string {
	if blank(prompt) {
		return "agents.run prompt must be a non-empty string."
	}
	var opt map[string]json.RawMessage
	_ = json.Unmarshal(options, &opt) // the guest has checked that it is an object
	if raw, ok := opt["fastMode"]; ok && string(raw) != "true" && string(raw) != "false" && string(raw) != `"auto"` {
		return `agents.run fastMode must be boolean or "auto".`
	}
	if raw, ok := opt["schema"]; ok && !strings.HasPrefix(string(raw), "{") {
		return "agents.run schema must be a JSON schema object."
	}
	for _, key := range []string{"label", "model", "thinking", "agentId"} {
		if raw, ok := opt[key]; ok && blank(raw) {
			return "agents.run " + key + " must be a non-empty string."
		}
	}
	if entry, err := r.view.Lookup("sessions_spawn"); err != nil || entry.Source() != protocol.SourceOpenClaw {
		return "agents.run requires the sessions_spawn tool."
	}
	if r.rec.Scope.Session() == "" || r.rec.Scope.AgentRunID == "" {
		return "code mode swarm globals require session and run identity."
	}
	return ""
}

func blank(raw json.RawMessage) bool {
	var s string
	return len(raw) == 0 || json.Unmarshal(raw, &s) != nil || strings.TrimSpace(s) == ""
}

// noteEvents tells of a phase or log note as an event (contract 16.2).
func (r *run) noteEvent(payload json.RawMessage) {
	var args []string
	if json.Unmarshal(payload, &args) != nil || len(args) != 2 {
		return
	}
	kind := protocol.EventLog
	if args[0] == "phase" {
		kind = protocol.EventPhase
	}
	r.event(protocol.Event{Kind: kind, GroupID: "swarm:" + r.rec.Scope.SessionKey + ":" + r.rec.Scope.AgentRunID, Text: args[1]})
}
