package protocol

import (
	"encoding/json"
	"fmt"
)

// Reply is the one stored answer to a job (protocol 5).
type Reply struct {
	V       int    `json:"v"`
	Tenant  string `json:"tenant"`
	RunID   string `json:"runId"`
	JobID   string `json:"jobId"`
	Result  Result `json:"result"`
	Worker  string `json:"worker"`
	Attempt int    `json:"attempt"` // from 1
	Timing  Timing `json:"timing"`
}

// Timing of a leg, in milliseconds (protocol 5).
type Timing struct {
	QueuedMs float64 `json:"queuedMs"` // stored until taken
	VMMs     float64 `json:"vmMs"`     // inside the VM
	ToolMs   float64 `json:"toolMs"`   // waiting for results with no VM running
	TotalMs  float64 `json:"totalMs"`  // taken until the reply is stored
}

// Status tells the three forms of a Result apart.
type Status string

// The statuses.
const (
	StatusCompleted Status = "completed"
	StatusWaiting   Status = "waiting"
	StatusFailed    Status = "failed"
)

// Reason says why a run waits.
type Reason string

// The reasons (contract 10.8).
const (
	ReasonPendingTools Reason = "pending_tools"
	ReasonYield        Reason = "yield"
)

// Phase says where a run failed (contract 14.5).
type Phase string

// The phases.
const (
	PhaseInput  Phase = "input"
	PhaseGuest  Phase = "guest"
	PhaseBridge Phase = "bridge"
	PhaseHost   Phase = "host"
)

// Result is what exec and wait give (protocol 5). Status says which of the other fields are sent.
type Result struct {
	Status     Status
	Output     []json.RawMessage // items {"type":"text","text"} or {"type":"json","value"}
	ReplaySafe bool
	Telemetry  Telemetry

	Value json.RawMessage // completed

	RunID   string // waiting
	Reason  Reason
	Pending []PendingCall

	Error                 string // failed
	Detail                Detail
	FailurePhase          Phase
	BridgeDispatchStarted bool
}

// PendingCall is an unsettled request of a waiting run; it never shows an input (contract 11.1).
type PendingCall struct {
	ID     string `json:"id"`
	Method Method `json:"method"`
	CallID string `json:"callId"`
	ToolID string `json:"toolId,omitempty"`
}

// MaxPendingListed is how many pending calls a waiting result names (contract 11.1).
const MaxPendingListed = 512

// Telemetry of a result (contract 16.1). Counts are those of the run so far.
type Telemetry struct {
	CatalogSize   int          `json:"catalogSize"`
	Sources       SourceCounts `json:"sources"`
	SearchCount   int          `json:"searchCount"`
	DescribeCount int          `json:"describeCount"`
	CallCount     int          `json:"callCount"`
	VisibleTools  []string     `json:"visibleTools"`
	CalledTools   []string     `json:"calledTools"`
	Legs          int          `json:"legs"`
	SnapshotBytes int          `json:"snapshotBytes,omitempty"`
}

// SourceCounts is the number of catalogue entries by source.
type SourceCounts struct {
	OpenClaw int `json:"openclaw"`
	MCP      int `json:"mcp"`
	Client   int `json:"client"`
}

// MaxCalledTools is how many ids Telemetry.CalledTools names (contract 16.1).
const MaxCalledTools = 256

// NewTelemetry gives the telemetry of a result made before there is a catalogue.
func NewTelemetry(legs int) Telemetry {
	return Telemetry{VisibleTools: []string{"exec", "wait"}, CalledTools: []string{}, Legs: legs}
}

type resultCommon struct {
	Output     []json.RawMessage `json:"output"`
	ReplaySafe bool              `json:"replaySafe"`
	Telemetry  Telemetry         `json:"telemetry"`
}

// MarshalJSON writes the fields of the result's status.
func (r Result) MarshalJSON() ([]byte, error) {
	common := resultCommon{Output: r.Output, ReplaySafe: r.ReplaySafe, Telemetry: r.Telemetry}
	if common.Output == nil {
		common.Output = []json.RawMessage{}
	}
	switch r.Status {
	case StatusCompleted:
		value := r.Value
		if len(value) == 0 {
			value = json.RawMessage("null")
		}
		return Marshal(struct {
			Status Status          `json:"status"`
			Value  json.RawMessage `json:"value"`
			resultCommon
		}{r.Status, value, common})
	case StatusWaiting:
		pending := r.Pending
		if pending == nil {
			pending = []PendingCall{}
		}
		return Marshal(struct {
			Status  Status        `json:"status"`
			RunID   string        `json:"runId"`
			Reason  Reason        `json:"reason"`
			Pending []PendingCall `json:"pendingToolCalls"`
			resultCommon
		}{r.Status, r.RunID, r.Reason, pending, common})
	case StatusFailed:
		return Marshal(struct {
			Status  Status `json:"status"`
			Error   string `json:"error"`
			Code    Code   `json:"code"`
			Detail  Detail `json:"detail"`
			Phase   Phase  `json:"failurePhase"`
			Started bool   `json:"bridgeDispatchStarted"`
			resultCommon
		}{r.Status, r.Error, r.Detail.Code(), r.Detail, r.FailurePhase, r.BridgeDispatchStarted, common})
	default:
		return nil, fmt.Errorf("result status %q is none of completed, waiting, failed", r.Status)
	}
}

// UnmarshalJSON reads a result of any status.
func (r *Result) UnmarshalJSON(data []byte) error {
	var all struct {
		Status  Status          `json:"status"`
		Value   json.RawMessage `json:"value"`
		RunID   string          `json:"runId"`
		Reason  Reason          `json:"reason"`
		Pending []PendingCall   `json:"pendingToolCalls"`
		Error   string          `json:"error"`
		Detail  Detail          `json:"detail"`
		Phase   Phase           `json:"failurePhase"`
		Started bool            `json:"bridgeDispatchStarted"`
		resultCommon
	}
	if err := json.Unmarshal(data, &all); err != nil {
		return err
	}
	*r = Result{
		Status: all.Status, Output: all.Output, ReplaySafe: all.ReplaySafe, Telemetry: all.Telemetry,
		Value: all.Value, RunID: all.RunID, Reason: all.Reason, Pending: all.Pending,
		Error: all.Error, Detail: all.Detail, FailurePhase: all.Phase, BridgeDispatchStarted: all.Started,
	}
	return nil
}
