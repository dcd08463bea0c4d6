package gateway

import (
	"encoding/json"
	"slices"
	"sync"
	"time"

	"codemode/catalog"
	"codemode/protocol"
)

// Transcript is what a model's transcript shows of a run's nested calls (contract 15): it is put together from events,
// calls and results in any order, each as often as it comes. What is missing is left out: events alone give who called
// what and how it ended, since no event has an input or a result. The zero value is empty and ready, and may be used
// by many goroutines.
type Transcript struct {
	// Parent is the tool call id of the exec. Defaults to the one the calls name.
	Parent string
	// Redact names fields whose values are replaced, in inputs and results, at any depth.
	Redact []string

	mu     sync.Mutex
	parent string
	calls  []*nested // in order of first mention
	byID   map[string]*nested
}

// Message is one nested message in a neutral form: a call, or the result of one.
type Message struct {
	Role     string          `json:"role"` // RoleCall or RoleResult
	Parent   string          `json:"parentToolCallId,omitempty"`
	CallID   string          `json:"callId"`
	ToolID   string          `json:"toolId,omitempty"`
	ToolName string          `json:"toolName,omitempty"`
	At       time.Time       `json:"at,omitzero"`
	Input    json.RawMessage `json:"input,omitempty"`   // of a call, where it is known
	Content  json.RawMessage `json:"content,omitempty"` // of a result, where it is known: the value, or the error's text
	IsError  bool            `json:"isError,omitempty"`
}

// The roles of a Message.
const (
	RoleCall   = "tool_call"
	RoleResult = "tool_result"
)

type nested struct {
	call, result Message
	ended        bool
}

func (t *Transcript) nestedLocked(callID string) *nested {
	n := t.byID[callID]
	if n == nil {
		if t.byID == nil {
			t.byID = map[string]*nested{}
		}
		n = &nested{call: Message{Role: RoleCall, CallID: callID}, result: Message{Role: RoleResult, CallID: callID}}
		t.byID[callID] = n
		t.calls = append(t.calls, n)
	}
	return n
}

// AddEvent takes a step of the run.
func (t *Transcript) AddEvent(e protocol.Event) {
	if e.CallID == "" || !e.Method.Remote() {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.parent == "" {
		t.parent = e.Scope.ToolCallID
	}
	n := t.nestedLocked(e.CallID)
	if n.call.ToolID == "" {
		n.call.ToolID = e.ToolID
	}
	switch e.Kind {
	case protocol.EventCall:
		if n.call.At.IsZero() {
			n.call.At = e.At
		}
	case protocol.EventSettled:
		n.ended, n.result.At = true, e.At
		n.result.IsError = e.OK != nil && !*e.OK
	}
}

// AddCall takes a call as the gateway got it.
func (t *Transcript) AddCall(c protocol.Call) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.parent == "" {
		t.parent = c.ParentToolCallID
	}
	n := t.nestedLocked(c.CallID)
	n.call.ToolID, n.call.ToolName = c.ToolID, c.ToolName
	if n.call.ToolName == "" {
		n.call.ToolName = string(c.Method)
	}
	if n.call.Input = c.Input; len(c.Input) == 0 {
		n.call.Input = c.Args
	}
}

// AddResult takes the result of a call as it was stored. One that cannot be read is an error for the transcript too.
func (t *Transcript) AddResult(callID string, data []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := t.nestedLocked(callID)
	if len(n.result.Content) > 0 {
		return // the first counts
	}
	n.ended = true
	res, err := protocol.DecodeCallResult(callID, data)
	switch {
	case err != nil:
		n.result.IsError, n.result.Content = true, text(protocol.MsgNestedToolFailed)
	case !res.OK:
		n.result.IsError, n.result.Content = true, text(res.Error.Message)
	case len(res.Value) > 0:
		n.result.Content = res.Value
	default:
		n.result.Content = catalog.Value(res.Result)
	}
}

func text(s string) json.RawMessage {
	data, err := protocol.Marshal(s)
	if err != nil { // a string is always JSON
		panic(err)
	}
	return data
}

// Messages gives per nested call its call and, once it has ended, its result, in order of the calls.
func (t *Transcript) Messages() []Message {
	t.mu.Lock()
	defer t.mu.Unlock()
	parent := t.Parent
	if parent == "" {
		parent = t.parent
	}
	ordered := slices.Clone(t.calls)
	slices.SortStableFunc(ordered, func(a, b *nested) int {
		if a.call.At.IsZero() || b.call.At.IsZero() {
			return 0
		}
		return a.call.At.Compare(b.call.At)
	})
	out := make([]Message, 0, 2*len(ordered))
	for _, n := range ordered {
		call, result := n.call, n.result
		call.Parent, result.Parent = parent, parent
		result.ToolID, result.ToolName = call.ToolID, call.ToolName
		call.Input, result.Content = redact(call.Input, t.Redact), redact(result.Content, t.Redact)
		if out = append(out, call); n.ended {
			out = append(out, result)
		}
	}
	return out
}
