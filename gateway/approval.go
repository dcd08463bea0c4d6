package gateway

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"codemode/internal/jetpub"
	"codemode/protocol"
	"codemode/subjects"
)

// The refusals of Settle.
var (
	// ErrNoApproval is returned for a call that waits for no decision, and never has.
	ErrNoApproval = errors.New("call does not wait for a decision")
	// ErrDecided is returned for a call that was decided before.
	ErrDecided = errors.New("call is decided already")
	// ErrStale is returned where the decision is about another input, or the run has ended.
	ErrStale = errors.New("decision is stale")
)

// outcomeTime is how long Settle tries to store the outcome of what it has executed, beyond its context.
const outcomeTime = time.Minute

// Pending is what a Handler returns for a call that a person decides about: it goes on with Client.Settle, from any
// process. title is shown with it.
func Pending(title string) error { return &PendingError{Title: title} }

// PendingError is the error that Pending makes.
type PendingError struct{ Title string }

// Error says that the call waits.
func (p *PendingError) Error() string { return "call waits for a decision: " + p.Title }

// Approval is a call that waits for a decision.
type Approval struct {
	V       int       `json:"v"`
	Title   string    `json:"title"`
	Created time.Time `json:"created"`
	// InputHash is the hex SHA-256 of the exact input: what is decided about.
	InputHash string `json:"inputSha256"`
	Call      Call   `json:"call"` // input included
}

// Decision about an Approval.
type Decision struct {
	RunID, CallID string
	// InputHash is that of the Approval that was shown to who decides.
	InputHash string
	// By names who decided, for the ledger.
	By string
	// Execute is run, once, if the decision is to approve; what it gives is the result of the call. nil denies.
	Execute Handler
	// Reason of a denial, for the cell.
	Reason string
}

func (c *Client) approvalSubject(runID, callID string) string {
	return subjects.KeySubject(subjects.BucketCalls, c.names.ApprovalKey(c.opt.Tenant, runID, callID))
}

// hold stores that a call waits for a decision, and accepts it.
func (e *execution) hold(p *PendingError) {
	c := e.s.c
	if err := c.hold(e.ctx, e.call, p.Title, e.rev); err != nil {
		c.log.Error("call that needs a decision could not be stored", "runId", e.call.RunID, "callId", e.call.CallID, "error", err)
		e.finish(failed(e.call.CallID, msgNotAsked))
		return
	}
	e.accept()
}

func (c *Client) hold(ctx context.Context, call *Call, title string, rev uint64) error {
	approval := Approval{V: 1, Title: title, Created: time.Now().UTC(), InputHash: call.InputHash(), Call: *call}
	data, err := protocol.Marshal(approval)
	if err != nil {
		return fmt.Errorf("encode approval: %w", err)
	}
	// A missing bucket would not answer until the context ends.
	if _, err := c.ledger.get(ctx, call.RunID, call.CallID); errors.Is(err, nats.ErrNoResponders) {
		return fmt.Errorf("%w: bucket %s: %w", ErrNoLedger, subjects.BucketCalls, err)
	}
	// The list first: one that no ledger entry stands behind is not shown.
	if _, err := c.publish(ctx, c.approvalSubject(call.RunID, call.CallID), data, jetstream.WithMsgTTL(claimAge)); err != nil {
		return err
	}
	held := entry{State: statePending, ToolID: call.ToolID, Input: approval.InputHash}
	_, err = c.ledger.put(ctx, call.RunID, call.CallID, held, rev, claimAge)
	if rev == 0 && errors.Is(err, jetpub.ErrConflict) {
		return nil // the call came again: it waits, or is decided
	}
	return err
}

// Approvals lists the calls of the tenant that wait for a decision, the oldest first.
func (c *Client) Approvals(ctx context.Context) ([]Approval, error) {
	filter := subjects.KeySubject(subjects.BucketCalls, c.names.ApprovalFilter(c.opt.Tenant))
	msgs, err := c.list(ctx, subjects.BucketStream(subjects.BucketCalls), filter, lastPerSubject)
	if err != nil {
		return nil, fmt.Errorf("list approvals: %w", err)
	}
	var waiting []Approval
	for _, msg := range msgs {
		if msg.Header.Get("KV-Operation") != "" || msg.Header.Get("Nats-Marker-Reason") != "" {
			continue
		}
		var a Approval
		if err := json.Unmarshal(msg.Data, &a); err != nil {
			c.log.Error("malformed approval", "subject", msg.Subject, "error", err)
			continue
		}
		if a.V == 0 {
			continue // struck off
		}
		e, err := c.ledger.get(ctx, a.Call.RunID, a.Call.CallID)
		if err != nil {
			return nil, fmt.Errorf("list approvals: %w", err)
		}
		if e != nil && e.State == statePending {
			waiting = append(waiting, a)
		}
	}
	return waiting, nil
}

// Settle decides about a call that waits, and gives the cell its result. Execute runs here, at most once however many
// try: the others get ErrDecided. ErrStale says that the input is another one or the run is over, ErrNoApproval that
// nothing waits. If this process dies while it executes, the cell gets OutcomeUnknown.
func (c *Client) Settle(ctx context.Context, d Decision) error {
	if err := c.settle(ctx, d); err != nil {
		return fmt.Errorf("settle call %s of run %s: %w", d.CallID, d.RunID, err)
	}
	return nil
}

func (c *Client) settle(ctx context.Context, d Decision) error {
	orDefault(&d.By, "unnamed")
	e, err := c.ledger.get(ctx, d.RunID, d.CallID)
	switch {
	case err != nil:
		return err
	case e == nil:
		return ErrNoApproval
	case e.State != statePending && e.By != "":
		return fmt.Errorf("%w by %s", ErrDecided, e.By)
	case e.State != statePending:
		return ErrNoApproval
	case e.Input != d.InputHash:
		return fmt.Errorf("%w: the input is not the one that was decided about", ErrStale)
	}
	over, err := c.ended(ctx, d.RunID)
	if err != nil {
		return err
	}
	if over != "" {
		return errors.Join(fmt.Errorf("%w: the run has ended: %s", ErrStale, over), c.strike(ctx, d, e.rev))
	}
	msg, err := c.last(ctx, c.ledger.bucket(), c.approvalSubject(d.RunID, d.CallID))
	if err != nil || msg == nil {
		return errors.Join(err, ErrNoApproval)
	}
	var a Approval
	if err := json.Unmarshal(msg.Data, &a); err != nil || a.InputHash != d.InputHash || inputHash(&a.Call.Call) != d.InputHash {
		return fmt.Errorf("%w: the stored input is not the one that was decided about", ErrStale)
	}
	if err := c.ledger.open(ctx); err != nil {
		return err
	}
	taken := entry{State: stateExecuting, Executor: c.ledger.executor, Claim: rand.Text(), ToolID: e.ToolID, Input: e.Input, By: d.By}
	rev, err := c.ledger.put(ctx, d.RunID, d.CallID, taken, e.rev, claimAge)
	if errors.Is(err, jetpub.ErrConflict) {
		return ErrDecided
	}
	if err != nil {
		return err
	}
	return c.carryOut(ctx, &a.Call, d, rev)
}

// carryOut executes what was decided. From here on the call has an outcome, whatever happens.
func (c *Client) carryOut(ctx context.Context, call *Call, d Decision, rev uint64) error {
	execute := d.Execute
	if execute == nil {
		execute = func(context.Context, *Call) (any, error) { return nil, Blocked(d.Reason) }
	}
	answer, pending := c.invoke(ctx, call, execute)
	if pending != nil {
		answer = failed(call.CallID, "approved call asked for another decision.")
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), outcomeTime)
	defer cancel()
	stands, err := c.storeResult(ctx, call.RunID, call.CallID, answer)
	if err != nil {
		return err
	}
	if err := c.strike(ctx, d, rev); err != nil {
		return fmt.Errorf("result is stored, the ledger is not: %w", err)
	}
	if !stands {
		return fmt.Errorf("%w: the call has another result", ErrStale)
	}
	return nil
}

// strike ends an approval: the entry says who decided, the list does not have it any more.
func (c *Client) strike(ctx context.Context, d Decision, rev uint64) error {
	done := entry{State: stateDone, Executor: c.ledger.executor, By: d.By}
	if _, err := c.ledger.put(ctx, d.RunID, d.CallID, done, rev, claimAge); err != nil {
		return err
	}
	_, err := c.publish(ctx, c.approvalSubject(d.RunID, d.CallID), []byte("{}"), jetstream.WithMsgTTL(time.Second))
	return err
}
