package protocol

import (
	"encoding/json"
	"time"
)

// Verb is an operation of the micro service "codemode-worker" (protocol 7).
type Verb string

// The verbs.
const (
	VerbStatus  Verb = "status"
	VerbAbort   Verb = "abort"
	VerbSurface Verb = "surface"
)

// ServiceName is the name of the micro service every worker registers.
const ServiceName = "codemode-worker"

// StatusRequest asks what is known of a parked run.
type StatusRequest struct {
	RunID string `json:"runId"`
}

// StatusResponse answers it: State is "waiting" or "unknown", the rest is for waiting runs.
type StatusResponse struct {
	V             int           `json:"v"`
	State         string        `json:"state"`
	ExpiresAt     *time.Time    `json:"expiresAt,omitempty"`
	Pending       []PendingCall `json:"pendingToolCalls,omitempty"`
	SnapshotBytes int           `json:"snapshotBytes,omitempty"`
}

// The states a StatusResponse can name.
const (
	StateWaiting = "waiting"
	StateUnknown = "unknown"
)

// AbortRequest names what to abort: one of the two fields.
type AbortRequest struct {
	RunID     string `json:"runId,omitempty"`
	SessionID string `json:"sessionId,omitempty"`
}

// AbortResponse lists the parked runs that were deleted.
type AbortResponse struct {
	V       int      `json:"v"`
	Aborted []string `json:"aborted"`
}

// SurfaceRequest asks for the tool definitions a model is given.
type SurfaceRequest struct {
	Config     json.RawMessage `json:"config,omitempty"`
	Swarm      json.RawMessage `json:"swarm,omitempty"`
	Catalog    json.RawMessage `json:"catalog"`
	Namespaces json.RawMessage `json:"namespaces,omitempty"`
}

// SurfaceResponse answers it; Tools and CatalogRef are there where Active is true.
type SurfaceResponse struct {
	V          int              `json:"v"`
	Active     bool             `json:"active"`
	Tools      []ToolDefinition `json:"tools,omitempty"`
	CatalogRef string           `json:"catalogRef,omitempty"`
}

// ToolDefinition is a tool as a model sees it.
type ToolDefinition struct {
	Name        string          `json:"name"`
	Label       string          `json:"label,omitempty"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
	// HiddenFromProgress is set on wait alone (contract 3.2).
	HiddenFromProgress bool `json:"hiddenFromProgress,omitempty"`
}

// ServiceError is the body of a service error.
type ServiceError struct {
	V     int    `json:"v"`
	Error string `json:"error"`
}
