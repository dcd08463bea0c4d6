package protocol

// Code is the coarse reason of a failed result (contract 14.2).
type Code string

// The codes.
const (
	CodeInvalidInput       Code = "invalid_input"
	CodeRuntimeUnavailable Code = "runtime_unavailable"
	CodeTimeout            Code = "timeout"
	CodeOutputLimit        Code = "output_limit_exceeded"
	CodeSnapshotLimit      Code = "snapshot_limit_exceeded"
	CodeAborted            Code = "aborted"
	CodeInternal           Code = "internal_error"
)

// Detail is the fine reason of a failed result; each belongs to one Code (contract 14.2).
type Detail string

// The details.
const (
	DetailInvalidConfig      Detail = "invalid_config"
	DetailInvalidInput       Detail = "invalid_input"
	DetailLanguage           Detail = "unsupported_language"
	DetailTypeScript         Detail = "typescript_transform_failed"
	DetailModuleAccess       Detail = "module_access_denied"
	DetailRuntimeUnavailable Detail = "runtime_unavailable"
	DetailTimeout            Detail = "timeout"
	DetailMemoryLimit        Detail = "memory_limit_exceeded"
	DetailOutputLimit        Detail = "output_limit_exceeded"
	DetailSnapshotLimit      Detail = "snapshot_limit_exceeded"
	DetailSnapshotExpired    Detail = "snapshot_expired"
	DetailRestoreFailed      Detail = "snapshot_restore_failed"
	DetailWrongScope         Detail = "wrong_scope"
	DetailAlreadyResuming    Detail = "already_resuming"
	DetailTooManySuspended   Detail = "too_many_suspended_runs"
	DetailTooManyPending     Detail = "too_many_pending_tool_calls"
	DetailNestedToolFailed   Detail = "nested_tool_failed"
	DetailGuestError         Detail = "guest_error"
	DetailAborted            Detail = "aborted"
	DetailReplayDiverged     Detail = "replay_diverged"
	DetailAttemptsExhausted  Detail = "attempts_exhausted"
	DetailInternal           Detail = "internal_error"
)

// Code gives the code a detail belongs to.
func (d Detail) Code() Code {
	switch d {
	case DetailInvalidInput, DetailInvalidConfig, DetailLanguage, DetailTypeScript, DetailModuleAccess,
		DetailSnapshotExpired, DetailWrongScope, DetailAlreadyResuming, DetailTooManySuspended, DetailTooManyPending:
		return CodeInvalidInput
	case DetailRuntimeUnavailable, DetailTimeout, DetailOutputLimit, DetailSnapshotLimit, DetailAborted:
		return Code(d)
	default:
		return CodeInternal
	}
}

// Error is a failure that a result shows: its text is for the model, its detail for programs.
type Error struct {
	Detail  Detail
	Message string
	// Cause is for logs; it is never sent.
	Cause error
}

func (e *Error) Error() string {
	if e.Cause != nil {
		return e.Message + ": " + e.Cause.Error()
	}
	return e.Message
}

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Cause }

// The failures whose text is fixed (contract 11.4, 12, 14.4).
var (
	ErrDisabled          = &Error{Detail: DetailInvalidConfig, Message: "code mode is disabled."}
	ErrOutputConfig      = &Error{Detail: DetailInvalidConfig, Message: "code mode maxOutputBytes exceeds the connection payload limit."}
	ErrUnreadableJob     = &Error{Detail: DetailInvalidInput, Message: "invalid code mode worker input"}
	ErrCatalogMissing    = &Error{Detail: DetailInvalidInput, Message: "code mode catalog is unavailable."}
	ErrPending           = &Error{Detail: DetailGuestError, Message: "code mode promise is pending without host work"}
	ErrMemory            = &Error{Detail: DetailMemoryLimit, Message: "code mode memory limit exceeded"}
	ErrTimeout           = &Error{Detail: DetailTimeout, Message: "code mode timeout exceeded"}
	ErrWatchdog          = &Error{Detail: DetailTimeout, Message: "code mode worker timeout exceeded"}
	ErrNotStarted        = &Error{Detail: DetailTimeout, Message: "code mode job was not started in time."}
	ErrOutput            = &Error{Detail: DetailOutputLimit, Message: "code mode output limit exceeded"}
	ErrSnapshot          = &Error{Detail: DetailSnapshotLimit, Message: "code mode snapshot limit exceeded"}
	ErrTooManySuspended  = &Error{Detail: DetailTooManySuspended, Message: "too many suspended code mode runs."}
	ErrTooManyPending    = &Error{Detail: DetailTooManyPending, Message: "too many pending code mode tool calls"}
	ErrAborted           = &Error{Detail: DetailAborted, Message: "code mode execution aborted"}
	ErrModuleAccess      = &Error{Detail: DetailModuleAccess, Message: "code mode module access is disabled."}
	ErrRunUnavailable    = &Error{Detail: DetailSnapshotExpired, Message: "code mode run is unavailable or expired."}
	ErrOtherAgentRun     = &Error{Detail: DetailWrongScope, Message: "code mode run belongs to a different agent run."}
	ErrOtherSession      = &Error{Detail: DetailWrongScope, Message: "code mode run belongs to a different session."}
	ErrAlreadyResuming   = &Error{Detail: DetailAlreadyResuming, Message: "code mode run is already being resumed."}
	ErrRestore           = &Error{Detail: DetailRestoreFailed, Message: "code mode snapshot restore failed"}
	ErrExpiryUnavailable = &Error{Detail: DetailInternal, Message: "code mode run expiry is unavailable."}
	ErrReplayDiverged    = &Error{Detail: DetailReplayDiverged, Message: "code mode replay diverged from the recorded run."}
	ErrAttempts          = &Error{Detail: DetailAttemptsExhausted, Message: "code mode job attempts exhausted."}
	ErrUnsafeNamespace   = &Error{Detail: DetailInvalidInput, Message: "restart-safe code mode cannot call namespace tools."}
	ErrUnsafeCall        = &Error{Detail: DetailInvalidInput, Message: "restart-safe code mode cannot call side-effecting tools."}
	ErrBadAnswer         = &Error{Detail: DetailInternal, Message: "invalid code mode worker response"}
)
