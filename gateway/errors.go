package gateway

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/nats-io/nats.go"
)

// The errors of a Client. They are wrapped with what was tried; those of a job also in a *JobError.
var (
	// ErrPermission is returned where the NATS user lacks a right; the text names the subject and whether to
	// publish or to subscribe. NATS does not answer such a request, so it is found out by a try that got no answer.
	ErrPermission = errors.New("NATS permission is missing")
	// ErrNoWorkers is returned where no worker of the pool listens.
	ErrNoWorkers = errors.New("no worker answers")
	// ErrNoReply is returned when the context ends before the reply to a job is there. Attach finds it later.
	ErrNoReply = errors.New("no reply yet")
	// ErrNotSent is returned when a job could not be stored, or not within the context, in which case it may
	// have been: Attach tells.
	ErrNotSent = errors.New("job is not known to be stored")
	// ErrMalformed is returned for a reply or a service's answer that is not of the wire protocol.
	ErrMalformed = errors.New("malformed answer")
	// ErrInput is returned for arguments that cannot be sent: a token, a catalogue, a cell.
	ErrInput = errors.New("invalid input")
	// ErrTooLarge is returned for a job or a catalogue over the connection's payload limit.
	ErrTooLarge = errors.New("larger than the connection's payload limit")
	// ErrServing is returned by a second Serve on a client.
	ErrServing = errors.New("client serves already")
	// ErrClosed is returned by a client that is closed.
	ErrClosed = errors.New("client is closed")
	// ErrGrace is returned by Close when handlers had not returned after Options.Grace.
	ErrGrace = errors.New("calls did not end in time")
	// ErrNoLedger is returned where Options.Guard asks for a ledger and its bucket is missing; see EnsureLedger.
	ErrNoLedger = errors.New("the call ledger is missing")
)

// JobError is what Exec, Wait, Attach and Run return for a job that was not answered.
type JobError struct {
	RunID, JobID string // for Attach
	Err          error
}

// Error names the job.
func (e *JobError) Error() string {
	return fmt.Sprintf("job %s of run %s: %s", e.JobID, e.RunID, e.Err)
}

// Unwrap gives the cause.
func (e *JobError) Unwrap() error { return e.Err }

// ServiceError is a worker's refusal of Status or Abort (protocol 7).
type ServiceError struct {
	Code string // "400", "404" or "500"
	Text string
}

// Error gives the worker's text.
func (e *ServiceError) Error() string { return "worker answers " + e.Code + ": " + e.Text }

// denied gives ErrPermission if the server has refused one of the subjects, or the inbox that answers come to.
// The client keeps the last violation only, and the request itself just gets no answer.
func denied(nc *nats.Conn, subjects ...string) error {
	err := nc.LastError()
	if !errors.Is(err, nats.ErrPermissionViolation) {
		return nil
	}
	text := err.Error()
	for _, s := range append(subjects, `Subscription to "_INBOX`) {
		if strings.Contains(text, s) {
			_, what, _ := strings.Cut(text, "Permissions Violation for ")
			return fmt.Errorf("%w: %s", ErrPermission, what)
		}
	}
	return nil
}

// unanswered turns the failure of a request into the error that says why.
func unanswered(nc *nats.Conn, err error, subject string) error {
	if errors.Is(err, nats.ErrNoResponders) {
		return err
	}
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, nats.ErrTimeout) {
		if no := denied(nc, subject); no != nil {
			return no
		}
	}
	return err
}
