package gateway

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"

	"codemode/protocol"
	"codemode/subjects"
)

// longestQuiet is how long AwaitNews waits at the most before it says that there may be news.
const longestQuiet = 5 * time.Minute

// Outcome is the end of a run.
type Outcome struct {
	RunID string
	// Result is the last one, with the output of all legs.
	Result protocol.Result
	// Waits is how many wait jobs it took.
	Waits int
}

// Run drives a cell to its end: exec, then a wait whenever there is something to deliver, and none before. A run that
// waits for an approval for hours costs a few wait jobs, which keep it from expiring. If ctx ends first the error is a
// *JobError; the run stays where it is, and Resume goes on with it.
func (c *Client) Run(ctx context.Context, cell Cell) (*Outcome, error) {
	orDefault(&cell.RunID, NewRunID())
	reply, err := c.Exec(ctx, cell)
	if err != nil {
		return nil, err
	}
	return c.drive(ctx, reply, cell.Scope, quietFor(cell))
}

// Resume drives a run to its end from a waiting reply, after Exec, Wait or Attach.
func (c *Client) Resume(ctx context.Context, reply *protocol.Reply, scope protocol.Scope) (*Outcome, error) {
	return c.drive(ctx, reply, scope, quietFor(Cell{}))
}

// quietFor is how long a run may be left alone: well within its expiry, which every wait begins anew.
func quietFor(cell Cell) time.Duration {
	ttl := time.Duration(protocol.ResolveConfig(cell.Config).SnapshotTTLSeconds) * time.Second
	return min(ttl/3, longestQuiet)
}

func (c *Client) drive(ctx context.Context, reply *protocol.Reply, scope protocol.Scope, quiet time.Duration) (*Outcome, error) {
	out := &Outcome{RunID: reply.RunID, Result: reply.Result}
	for out.Result.Status == protocol.StatusWaiting {
		if err := c.AwaitNews(ctx, reply.RunID, out.Result.Pending, quiet); err != nil {
			return nil, &JobError{reply.RunID, reply.JobID, err}
		}
		next, err := c.Wait(ctx, WaitFor{RunID: reply.RunID, Scope: scope})
		if err != nil {
			return nil, err
		}
		shown := out.Result.Output
		reply, out.Result = next, next.Result
		out.Result.Output = append(shown, next.Result.Output...)
		out.Waits++
	}
	return out, nil
}

// AwaitNews blocks until a waiting run has something to deliver, so that a gateway that shows wait to a model spends no
// model turn on a reply that says "still waiting". pending is the list of the waiting result. It returns when a result
// of one of the calls is stored, at once where the run waits for more than calls (a yield, a timer), and after quiet,
// by which time a wait should be sent to keep the run from expiring. With Options.Guard it also settles calls whose
// executor has died.
func (c *Client) AwaitNews(ctx context.Context, runID string, pending []protocol.PendingCall, quiet time.Duration) error {
	for _, p := range pending {
		if !p.Method.Remote() {
			return nil
		}
	}
	if len(pending) == 0 || len(pending) >= protocol.MaxPendingListed {
		return nil
	}
	came := make(chan *nats.Msg, 1)
	sub, err := c.nc.ChanSubscribe(c.names.Live(c.opt.Tenant, runID, subjects.Any), came)
	if err != nil {
		return fmt.Errorf("await news of run %s: %w", runID, err)
	}
	defer drop(sub)
	ctx, cancel := context.WithTimeoutCause(ctx, quiet, errQuiet)
	defer cancel()
	err = c.flush(ctx, sub)
	if err == nil || !errors.Is(err, ErrPermission) && ctx.Err() == nil {
		err = c.awaitNews(ctx, runID, pending, came)
	}
	if err != nil && context.Cause(ctx) == errQuiet {
		return nil
	}
	if err != nil {
		return fmt.Errorf("await news of run %s: %w", runID, err)
	}
	return nil
}

var errQuiet = errors.New("nothing new")

// awaitNews listens, and looks: delivery to a subscription is at most once.
func (c *Client) awaitNews(ctx context.Context, runID string, pending []protocol.PendingCall, came <-chan *nats.Msg) error {
	pause := minLook
	for {
		again := c.reconnected()
		stored, err := c.anyStored(ctx, runID, pending)
		if stored || errors.Is(err, ErrPermission) {
			return err
		}
		if err == nil && c.opt.Guard != nil {
			err = c.settleOrphans(ctx, runID, pending)
		}
		if err != nil && ctx.Err() == nil {
			c.log.Warn("results could not be looked for, trying again", "runId", runID, "error", err)
		}
		select {
		case <-came:
			return nil
		case <-again:
		case <-time.After(pause):
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-c.ctx.Done():
			return context.Cause(c.ctx)
		}
		pause = min(2*pause, maxLook)
		if c.opt.Guard != nil {
			pause = min(pause, c.opt.Lease/3)
		}
	}
}

func (c *Client) anyStored(ctx context.Context, runID string, pending []protocol.PendingCall) (bool, error) {
	for _, p := range pending {
		result, err := c.ledger.storedResult(ctx, runID, p.CallID)
		if err != nil || result != nil {
			return result != nil, err
		}
	}
	return false, nil
}
