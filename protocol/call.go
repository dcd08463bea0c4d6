package protocol

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// Call is a nested call as a worker sends it to the gateway (protocol 4).
type Call struct {
	V                int             `json:"v"`
	Tenant           string          `json:"tenant"`
	RunID            string          `json:"runId"`
	CallID           string          `json:"callId"`
	ID               string          `json:"id"`
	Method           Method          `json:"method"`
	Attempt          int             `json:"attempt"` // from 1
	Deadline         time.Time       `json:"deadline"`
	Scope            Scope           `json:"scope"`
	ParentToolCallID string          `json:"parentToolCallId,omitempty"`
	ToolID           string          `json:"toolId,omitempty"`
	ToolName         string          `json:"toolName,omitempty"`
	Input            json.RawMessage `json:"input,omitempty"`     // call, callValue, namespace
	Namespace        *CallNamespace  `json:"namespace,omitempty"` // namespace
	Args             json.RawMessage `json:"args,omitempty"`      // agentSpawn, agentWait, swarmNote
}

// CallNamespace says through which namespace member a call came.
type CallNamespace struct {
	ID   string   `json:"id"`
	Path []string `json:"path"`
}

// CallResult is a gateway's answer to a call (protocol 4): Result, or Value as the short form of
// {"details": value}, or Error.
type CallResult struct {
	V      int             `json:"v"`
	CallID string          `json:"callId"`
	OK     bool            `json:"ok"`
	Result json.RawMessage `json:"result,omitempty"`
	Value  json.RawMessage `json:"value,omitempty"`
	Error  *CallError      `json:"error,omitempty"`
}

// CallError is the failure of a nested call.
type CallError struct {
	Message string `json:"message"`
	Kind    string `json:"kind,omitempty"` // KindBlocked when policy refused the call
}

// KindBlocked marks an error as a refusal by policy (contract 6.8).
const KindBlocked = "blocked"

// The texts a malformed or too large answer is replaced with (contract 6.8, 2.4).
const (
	MsgNestedToolFailed = "nested tool failed"
	MsgResultTooLarge   = "code mode tool result is too large."
	MsgInputTooLarge    = "code mode tool input is too large."
)

// ErrMalformedResult is returned by DecodeCallResult for an answer that is not a CallResult of the call.
var ErrMalformedResult = errors.New("malformed call result")

// DecodeCallResult reads the answer to the call with the given id. An answer that is no object of this
// form, that has another version or call id, or that has neither result nor value nor error text is
// ErrMalformedResult.
func DecodeCallResult(callID string, data []byte) (CallResult, error) {
	var r CallResult
	if err := decode("call result", data, &r); err != nil {
		return r, fmt.Errorf("%w: %w", ErrMalformedResult, err)
	}
	switch {
	case r.V != Version:
		return r, fmt.Errorf("%w: v is %d, want %d", ErrMalformedResult, r.V, Version)
	case r.CallID != callID:
		return r, fmt.Errorf("%w: callId is not %s", ErrMalformedResult, callID)
	case r.OK && len(r.Value) == 0 && !isObject(r.Result):
		return r, fmt.Errorf("%w: ok without value or result object", ErrMalformedResult)
	case !r.OK && r.Error == nil:
		return r, fmt.Errorf("%w: not ok without error", ErrMalformedResult)
	}
	return r, nil
}

// FailedCall makes the answer of a call that failed with a text.
func FailedCall(callID, message string) CallResult {
	return CallResult{V: Version, CallID: callID, Error: &CallError{Message: message}}
}
