package gateway

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"codemode/protocol"
	"codemode/subjects"
)

// LongestQuiet is how long a run is left alone, for AwaitNews: no longer than a third of the run's snapshotTtlSeconds
// (of 900 by default), and no longer than this.
const LongestQuiet = 5 * time.Minute

// Outcome is the end of a run.
type Outcome struct {
	RunID string
	// Result is the last one, with the output of all legs.
	Result protocol.Result
	// Waits is how many wait jobs it took.
	Waits int
}

// Run drives a cell to its end: exec, then a wait whenever there is something to deliver, and none before, see
// AwaitNews. If ctx ends first the error is a *JobError and the run stays where it is.
//
// A cell with a RunID and a JobID can be given to Run again, by another process too, after a crash or an error: it takes
// up the same run where it is, since the ids of the waits follow from the JobID.
func (c *Client) Run(ctx context.Context, cell Cell) (*Outcome, error) {
	orDefault(&cell.RunID, NewRunID())
	reply, err := c.exec(ctx, &cell)
	if err != nil {
		return nil, err
	}
	return c.drive(ctx, reply, cell.Scope, quietFor(cell))
}

// Resume drives a run to its end from a waiting reply, after Exec, Wait or Attach.
func (c *Client) Resume(ctx context.Context, reply *protocol.Reply, scope protocol.Scope) (*Outcome, error) {
	quiet := LongestQuiet
	if reply.Result.Status == protocol.StatusWaiting {
		status, err := c.Status(ctx, reply.RunID)
		if err == nil && status.ExpiresAt != nil {
			quiet = min(quiet, time.Until(*status.ExpiresAt)/3)
		}
	}
	return c.drive(ctx, reply, scope, quiet)
}

// quietFor is how long a run may be left alone: well within its expiry, which every wait begins anew.
func quietFor(cell Cell) time.Duration {
	ttl := time.Duration(protocol.ResolveConfig(cell.Config).SnapshotTTLSeconds) * time.Second
	return min(ttl/3, LongestQuiet)
}

func (c *Client) drive(ctx context.Context, reply *protocol.Reply, scope protocol.Scope, quiet time.Duration) (*Outcome, error) {
	out := &Outcome{RunID: reply.RunID, Result: reply.Result}
	for out.Result.Status == protocol.StatusWaiting {
		if err := c.AwaitNews(ctx, reply.RunID, out.Result.Pending, quiet); err != nil {
			return nil, &JobError{reply.RunID, reply.JobID, err}
		}
		wait := protocol.Job{RunID: reply.RunID, JobID: nextJobID(reply.JobID), Scope: scope}
		next, err := c.do(ctx, protocol.JobWait, wait, true)
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

// nextJobID gives the id of the wait that follows a job: "j" is followed by "j-w1", that by "j-w2".
func nextJobID(jobID string) string {
	base, n := jobID, 0
	if i := strings.LastIndex(jobID, "-w"); i > 0 {
		if k, err := strconv.Atoi(jobID[i+2:]); err == nil && k > 0 {
			base, n = jobID[:i], k
		}
	}
	if len(base) > 50 {
		sum := sha256.Sum256([]byte(base))
		base = hex.EncodeToString(sum[:16])
	}
	return base + "-w" + strconv.Itoa(n+1)
}

// AwaitNews blocks until a wait for a run is worth sending, so that a gateway that shows wait to a model spends no model
// turn on a reply that says "still waiting". pending is the list of the waiting result. It returns
//   - when a result of one of the calls is stored,
//   - at once where the run waits for more than calls (a yield, a timer), or for a call that is not known to be worked
//     on, which the next leg sends again. Known are the calls this client has accepted, and those in the ledger: several
//     replicas without a ledger therefore wait in the worker, leg by leg,
//   - after quiet, by which time a wait should be sent to keep the run from expiring.
//
// Calls whose executor has died are taken over or settled here.
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
	limited, cancel := context.WithTimeoutCause(ctx, quiet, errQuiet)
	defer cancel()
	err = c.flush(limited, sub)
	if err == nil || !errors.Is(err, ErrPermission) && limited.Err() == nil {
		err = c.awaitNews(limited, runID, pending, came)
	}
	if err == nil || context.Cause(limited) == errQuiet {
		return nil
	}
	return fmt.Errorf("await news of run %s: %w", runID, err)
}

var errQuiet = errors.New("nothing new")

// awaitNews listens, and looks: delivery to a subscription is at most once, and executors die.
func (c *Client) awaitNews(ctx context.Context, runID string, pending []protocol.PendingCall, came <-chan *nats.Msg) error {
	pause := minLook
	for {
		again := c.reconnected()
		news, err := c.news(ctx, runID, pending)
		if news || errors.Is(err, ErrPermission) {
			return err
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
		if pause = min(2*pause, maxLook); c.opt.Guard != nil {
			pause = min(pause, c.opt.Lease)
		}
	}
}

// news reports whether a wait would deliver a result, or send a call that nobody has.
func (c *Client) news(ctx context.Context, runID string, pending []protocol.PendingCall) (bool, error) {
	for _, p := range pending {
		s, err := c.standingOf(ctx, runID, p.CallID)
		if err != nil {
			return false, err
		}
		if s != somebodys {
			return true, nil
		}
	}
	return false, nil
}
