package protocol

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
)

// JobKind tells the two jobs apart; it is a token of their subject.
type JobKind string

// The kinds of job.
const (
	JobExec JobKind = "exec"
	JobWait JobKind = "wait"
)

// Scope is the identity that owns a run (protocol 3). Sender and Channel are opaque and come back on calls.
type Scope struct {
	AgentID    string `json:"agentId,omitempty"`
	SessionID  string `json:"sessionId,omitempty"`
	SessionKey string `json:"sessionKey,omitempty"`
	AgentRunID string `json:"agentRunId,omitempty"`
	ToolCallID string `json:"toolCallId,omitempty"`
	Sender     string `json:"sender,omitempty"`
	Channel    string `json:"channel,omitempty"`
}

// Authorise checks that a wait presents every identity this scope, the exec job's, has (contract 11.4).
// It returns ErrOtherAgentRun, ErrOtherSession or nil.
func (s Scope) Authorise(wait Scope) *Error {
	if s.AgentRunID != "" && s.AgentRunID != wait.AgentRunID {
		return ErrOtherAgentRun
	}
	if s.SessionID != "" && s.SessionID != wait.SessionID ||
		s.SessionKey != "" && s.SessionKey != wait.SessionKey ||
		s.AgentID != "" && s.AgentID != wait.AgentID {
		return ErrOtherSession
	}
	return nil
}

// Session is what the cap on suspended runs counts by: the session id, else the session key, else "" for
// the whole tenant (contract 12.3).
func (s Scope) Session() string {
	if s.SessionID != "" {
		return s.SessionID
	}
	return s.SessionKey
}

// Job is an exec or a wait job (protocol 3). The fields from Input on are those of an exec job.
type Job struct {
	V       int        `json:"v"`
	RunID   string     `json:"runId"`
	JobID   string     `json:"jobId"`
	Scope   Scope      `json:"scope"`
	StartBy *time.Time `json:"startBy,omitempty"`

	Input            json.RawMessage `json:"input,omitempty"`  // what the model sent, untouched
	Config           json.RawMessage `json:"config,omitempty"` // resolved by ResolveConfig
	Swarm            json.RawMessage `json:"swarm,omitempty"`  // resolved by ResolveSwarm
	Catalog          *CatalogSource  `json:"catalog,omitempty"`
	Namespaces       json.RawMessage `json:"namespaces,omitempty"` // []Namespace, of this run alone
	ForceRestartSafe bool            `json:"forceRestartSafe,omitempty"`
}

// CatalogSource names the catalogue of a run: one of the two fields (protocol 3).
type CatalogSource struct {
	Ref    string          `json:"ref,omitempty"`    // key of CM_CATALOGS: 64 hex digits
	Inline json.RawMessage `json:"inline,omitempty"` // a Catalog
}

// ErrUnanswerable is returned by DecodeJob for a job that names no run and job a reply could be addressed to.
var ErrUnanswerable = errors.New("no reply subject can be formed")

// DecodeJob reads a job of the given kind. On failure the job holds whatever run and job id could be
// read: if the error is ErrUnanswerable there are none, and the job can only be dropped (protocol 1).
func DecodeJob(kind JobKind, data []byte) (Job, error) {
	var job Job
	err := decode(string(kind)+" job", data, &job)
	if err != nil {
		// The ids may be fine where another field is not; a reply needs only them.
		var ids struct{ RunID, JobID any }
		_ = json.Unmarshal(data, &ids)
		job = Job{}
		job.RunID, _ = ids.RunID.(string)
		job.JobID, _ = ids.JobID.(string)
	}
	if !ValidJobID(job.JobID) || !RoutableRunID(job.RunID) {
		return job, errors.Join(ErrUnanswerable, err)
	}
	switch {
	case err != nil:
		return job, &Error{Detail: DetailInvalidInput, Message: ErrUnreadableJob.Message, Cause: err}
	case job.V != Version:
		return job, &Error{Detail: DetailInvalidInput, Message: ErrUnreadableJob.Message, Cause: fmt.Errorf("v is %d, want %d", job.V, Version)}
	case kind == JobExec && !ValidRunID(job.RunID):
		return job, &Error{Detail: DetailInvalidInput, Message: ErrUnreadableJob.Message, Cause: fmt.Errorf("runId is no run token")}
	}
	return job, nil
}

// Language of a cell.
type Language string

// The languages (contract 4.4).
const (
	JavaScript Language = "javascript"
	TypeScript Language = "typescript"
)

// ExecInput is the checked argument object of exec (contract 4.1).
type ExecInput struct {
	Code        string
	Language    Language
	RestartSafe bool
}

// ParseExecInput applies contract 4.1 to what the model sent. Anything but an object counts as {}.
func ParseExecInput(raw json.RawMessage) (ExecInput, *Error) {
	var args map[string]json.RawMessage
	if isObject(raw) {
		if err := json.Unmarshal(raw, &args); err != nil {
			return ExecInput{}, &Error{Detail: DetailInvalidInput, Message: ErrUnreadableJob.Message, Cause: err}
		}
	}
	in := ExecInput{Language: JavaScript}
	code, hasCode := sourceText(args["code"])
	command, hasCommand := sourceText(args["command"])
	switch {
	case !hasCode && !hasCommand:
		return in, &Error{Detail: DetailInvalidInput, Message: "code or command must be a non-empty string."}
	case hasCode && hasCommand && code != command:
		return in, &Error{Detail: DetailInvalidInput, Message: "code and command must match when both are provided."}
	case hasCode:
		in.Code = code
	default:
		in.Code = command
	}
	if raw := args["language"]; !isNull(raw) {
		var lang Language
		if json.Unmarshal(raw, &lang) != nil || lang != JavaScript && lang != TypeScript {
			return in, &Error{Detail: DetailLanguage, Message: "language must be javascript or typescript."}
		}
		in.Language = lang
	}
	if raw := args["restartSafe"]; !isNull(raw) {
		if json.Unmarshal(raw, &in.RestartSafe) != nil {
			return in, &Error{Detail: DetailInvalidInput, Message: "restartSafe must be a boolean."}
		}
	}
	return in, nil
}

func sourceText(raw json.RawMessage) (string, bool) {
	var s string
	if isNull(raw) || json.Unmarshal(raw, &s) != nil || strings.TrimFunc(s, jsSpace) == "" {
		return "", false
	}
	return s, true
}

// ParseWaitInput gives the run id out of the argument object of wait (contract 4.2).
func ParseWaitInput(raw json.RawMessage) (string, *Error) {
	bad := &Error{Detail: DetailInvalidInput, Message: "runId must be a non-empty string."}
	var args map[string]json.RawMessage
	if !isObject(raw) || json.Unmarshal(raw, &args) != nil {
		return "", bad
	}
	field := args["runId"]
	if isNull(field) {
		field = args["run_id"]
	}
	var id string
	if isNull(field) || json.Unmarshal(field, &id) != nil {
		return "", bad
	}
	if id = strings.TrimFunc(id, jsSpace); id == "" {
		return "", bad
	}
	return id, nil
}

// jsSpace is the white space that JavaScript's trim takes away.
func jsSpace(r rune) bool {
	switch r {
	case '\t', '\n', '\v', '\f', '\r', ' ', 0xa0, 0x1680, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000, 0xfeff:
		return true
	}
	return 0x2000 <= r && r <= 0x200a
}
