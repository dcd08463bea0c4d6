package protocol

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/gowebpki/jcs"
)

// Method names a bridge request (contract 10.1).
type Method string

// The methods. The first four are local: they never leave the worker.
const (
	MethodSearch     Method = "search"
	MethodDescribe   Method = "describe"
	MethodYield      Method = "yield"
	MethodSleep      Method = "sleep"
	MethodCall       Method = "call"
	MethodCallValue  Method = "callValue"
	MethodNamespace  Method = "namespace"
	MethodAgentSpawn Method = "agentSpawn"
	MethodAgentWait  Method = "agentWait"
	MethodSwarmNote  Method = "swarmNote"
)

// Valid reports whether m is one of the methods.
func (m Method) Valid() bool { return m.Local() || m.Remote() }

// Local reports whether a request of this method is answered in the worker.
func (m Method) Local() bool {
	switch m {
	case MethodSearch, MethodDescribe, MethodYield, MethodSleep:
		return true
	}
	return false
}

// Remote reports whether a request of this method is sent to the gateway.
func (m Method) Remote() bool { return m.Tool() || m.Swarm() }

// Tool reports whether a request of this method calls a catalogue entry.
func (m Method) Tool() bool {
	return m == MethodCall || m == MethodCallValue || m == MethodNamespace
}

// Swarm reports whether a request of this method belongs to swarm (contract 9).
func (m Method) Swarm() bool {
	return m == MethodAgentSpawn || m == MethodAgentWait || m == MethodSwarmNote
}

// BridgeID is the id a cell's request has in calls and pending lists: "bridge:<method>:<n>" (contract 10.1).
func BridgeID(m Method, n int) string { return "bridge:" + string(m) + ":" + strconv.Itoa(n) }

// CallID makes the call id of the n-th request of a method in a run (protocol 1). toolID is "" where
// the method has none; payload is the input or args as JSON text, nil counts as null.
func CallID(m Method, n int, toolID string, payload json.RawMessage) (string, error) {
	if len(payload) == 0 {
		payload = json.RawMessage("null")
	}
	var tool any
	if toolID != "" {
		tool = toolID
	}
	text, err := Marshal([]any{string(m), tool, payload})
	if err != nil {
		return "", fmt.Errorf("encode call identity: %w", err)
	}
	canonical, err := jcs.Transform(text)
	if err != nil {
		return "", fmt.Errorf("canonicalise call identity: %w", err)
	}
	sum := sha256.Sum256(canonical)
	return string(m) + "-" + strconv.Itoa(n) + "-" + hex.EncodeToString(sum[:4]), nil
}
