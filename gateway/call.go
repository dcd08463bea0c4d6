package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"

	"codemode/protocol"
)

// Call is a nested call as a Handler gets it.
type Call struct {
	protocol.Call

	accept func()
}

// Accept tells the worker at once that the result will come later. A handler that knows that it is slow calls it
// first; the others are accepted after Options.AcceptAfter.
func (c *Call) Accept() {
	if c.accept != nil {
		c.accept()
	}
}

// InputHash is what a decision about the call is bound to: see Approval.
func (c *Call) InputHash() string { return inputHash(&c.Call) }

// Handler executes a nested call. What it returns goes to the cell:
//   - a ToolResult is the whole tool result; any other value is its JSON, which is short for {"details": value};
//   - an error is a rejection with its text; Blocked says that policy refused; Pending that a person decides.
//
// ctx ends after Options.CallTimeout, when the run or its session is aborted, and when the client is closed. It does
// not end at call.Deadline, which is when the leg ends: the call goes on beyond it (contract 11.1). A handler that
// panics, or returns what is no JSON or too large to be stored, is an error for the cell and logged here.
type Handler func(ctx context.Context, call *Call) (any, error)

// ToolResult is a whole tool result: a JSON object with content, details and whatever else the tool gives.
type ToolResult json.RawMessage

// The texts a cell gets where the tool itself has none.
const (
	// OutcomeUnknown is the text of a call whose executor died, was cut off or never returned: it may have happened.
	OutcomeUnknown = "tool call was interrupted; its outcome is unknown."
	msgNotAsked    = "approval could not be asked for."
	msgNotStarted  = "tool call was not started in time."
	msgPanicked    = "tool failed unexpectedly"
	msgNotJSON     = "tool returned a value that is no JSON."
)

// Blocked makes the error of a call that policy refused: the cell gets `Tool "<id>" was blocked before execution:
// <reason>` (contract 6.8).
func Blocked(reason string) error { return &blocked{reason} }

type blocked struct{ reason string }

func (b *blocked) Error() string { return b.reason }

var errNotUTF8 = errors.New("not valid UTF-8")

// encodeAnswer makes the CallResult of a call. What cannot be sent is replaced by the error that says so, and fault
// says what it was.
func encodeAnswer(callID string, value any, failure error, maxBytes int) (answer []byte, fault error) {
	res := protocol.CallResult{V: protocol.Version, CallID: callID}
	var no *blocked
	switch {
	case errors.As(failure, &no):
		res.Error = &protocol.CallError{Message: no.reason, Kind: protocol.KindBlocked}
	case failure != nil:
		res.Error = &protocol.CallError{Message: failure.Error()}
	default:
		if fault = fill(&res, value); fault != nil {
			res = protocol.FailedCall(callID, msgNotJSON)
		}
	}
	answer, err := protocol.Marshal(res)
	if err != nil {
		answer, fault = failed(callID, msgNotJSON), err
	}
	if len(answer) > maxBytes {
		answer, fault = failed(callID, protocol.MsgResultTooLarge), fmt.Errorf("result has %d bytes, at most %d", len(answer), maxBytes)
	}
	return answer, fault
}

func fill(res *protocol.CallResult, value any) error {
	if whole, ok := value.(ToolResult); ok {
		var object map[string]json.RawMessage
		if err := json.Unmarshal(whole, &object); err != nil || object == nil {
			return fmt.Errorf("tool result is no JSON object: %w", err)
		}
		if !utf8.Valid(whole) {
			return errNotUTF8
		}
		res.OK, res.Result = true, json.RawMessage(whole)
		return nil
	}
	text, err := protocol.Marshal(value)
	if err != nil {
		return err
	}
	if !utf8.Valid(text) {
		return errNotUTF8
	}
	res.OK, res.Value = true, text
	return nil
}

// failed encodes an answer that can always be encoded.
func failed(callID, text string) []byte {
	data, err := protocol.Marshal(protocol.FailedCall(callID, text))
	if err != nil {
		panic(err)
	}
	return data
}
