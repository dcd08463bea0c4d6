package protocol

import (
	"encoding/json"
	"time"
)

// EventKind names a step of a run; it is the last token of the event's subject.
type EventKind string

// The kinds of event (protocol 6).
const (
	EventAccepted  EventKind = "accepted"
	EventStarted   EventKind = "started"
	EventOutput    EventKind = "output"
	EventCall      EventKind = "call"
	EventSettled   EventKind = "settled"
	EventSuspended EventKind = "suspended"
	EventResumed   EventKind = "resumed"
	EventPhase     EventKind = "phase"
	EventLog       EventKind = "log"
	EventCompleted EventKind = "completed"
	EventFailed    EventKind = "failed"
	EventExpired   EventKind = "expired"
	EventAborted   EventKind = "aborted"
)

// Event is one step of a run (protocol 6). The fields behind Scope are those of some kinds only. No
// tool input and no tool result is ever in one.
type Event struct {
	V      int       `json:"v"`
	Tenant string    `json:"tenant"`
	RunID  string    `json:"runId"`
	Seq    int       `json:"seq"` // rises by one over the run, from 1
	At     time.Time `json:"at"`
	Kind   EventKind `json:"kind"`
	Worker string    `json:"worker"`
	Scope  Scope     `json:"scope"`

	JobID   string          `json:"jobId,omitempty"`   // accepted, started, resumed and the terminal kinds
	Item    json.RawMessage `json:"item,omitempty"`    // output: the output item
	ToolID  string          `json:"toolId,omitempty"`  // call, settled
	CallID  string          `json:"callId,omitempty"`  // call, settled
	Method  Method          `json:"method,omitempty"`  // call, settled
	Attempt int             `json:"attempt,omitempty"` // call
	OK      *bool           `json:"ok,omitempty"`      // settled
	Bytes   int             `json:"bytes,omitempty"`   // suspended: size of the state (contract 11.2)
	Detail  Detail          `json:"detail,omitempty"`  // failed, aborted
	GroupID string          `json:"groupId,omitempty"` // phase, log
	Text    string          `json:"text,omitempty"`    // phase, log
}
