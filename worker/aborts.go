package worker

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"codemode/kvsnapshots"
	"codemode/protocol"
	"codemode/subjects"
)

// abortLookAge is the age of a job from which the stored marks are read before it is run. A younger one
// can only have been aborted while this worker listened, and recentAborts has it.
const abortLookAge = 25 * time.Millisecond

// recentAborts remembers the broadcasts of the last while by what they named.
type recentAborts struct {
	mu   sync.Mutex
	seen map[string]time.Time
}

const recentAbortTTL = time.Minute

func (a *recentAborts) note(key string, now time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.seen == nil {
		a.seen = map[string]time.Time{}
	}
	for k, at := range a.seen {
		if now.Sub(at) > recentAbortTTL {
			delete(a.seen, k)
		}
	}
	a.seen[key] = now
}

func (a *recentAborts) since(key string, stored time.Time) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	at, ok := a.seen[key]
	return ok && at.After(stored)
}

func runAbortKey(tenant, runID string) string       { return tenant + ".run." + runID }
func sessionAbortKey(tenant, session string) string { return tenant + ".session." + session }

// listenForAborts stops running legs that a broadcast names (protocol 7).
func (w *Worker) listenForAborts() error {
	sub, err := w.nc.Subscribe(w.names.AbortAll(), func(msg *nats.Msg) {
		abort, ok := w.names.ParseAbort(msg.Subject)
		if !ok {
			w.log.Warn("abort on a subject that names nothing", "subject", msg.Subject)
			w.metrics.dropped(w.work, "bad_abort")
			return
		}
		w.abortRunning(abort)
	})
	if err != nil {
		return fmt.Errorf("subscribe to aborts: %w", err)
	}
	w.stops = append(w.stops, sub.Unsubscribe)
	return nil
}

func (w *Worker) abortRunning(abort subjects.Abort) {
	var stop []*leg
	if abort.RunID != "" {
		w.aborts.note(runAbortKey(abort.Tenant, abort.RunID), time.Now())
		stop = w.active.ofRun(abort.Tenant, abort.RunID)
	} else {
		w.aborts.note(sessionAbortKey(abort.Tenant, abort.SessionToken), time.Now())
		stop = w.active.find(func(l *leg) bool {
			return l.tenant == abort.Tenant && l.job.Scope.SessionID != "" && protocol.SessionToken(l.job.Scope.SessionID) == abort.SessionToken
		})
	}
	for _, l := range stop {
		l.abort()
	}
}

// abortedBefore reports whether the job's run or session was aborted while the job sat in the queue.
func (l *leg) abortedBefore() (bool, error) {
	session := l.job.Scope.SessionID
	if l.w.aborts.since(runAbortKey(l.tenant, l.job.RunID), l.stored) ||
		session != "" && l.w.aborts.since(sessionAbortKey(l.tenant, protocol.SessionToken(session)), l.stored) {
		return true, nil
	}
	if l.taken.Sub(l.stored) < abortLookAge {
		return false, nil
	}
	return l.w.snaps.AbortedSince(l.ctx, l.tenant, l.job.RunID, session, l.stored)
}

// abortStored aborts what a service request names: a mark for jobs in the queue, the parked runs, and a
// broadcast for those that run. It gives the parked runs that were deleted.
func (w *Worker) abortStored(ctx context.Context, tenant string, req protocol.AbortRequest) ([]string, error) {
	id, subject, runs := req.RunID, w.names.AbortRun(tenant, req.RunID), []string{req.RunID}
	if req.RunID == "" {
		id, subject = protocol.SessionToken(req.SessionID), w.names.AbortSession(tenant, req.SessionID)
		var err error
		if runs, err = w.snaps.Suspended(ctx, tenant, req.SessionID); err != nil {
			return nil, err
		}
	}
	if err := w.snaps.MarkAborted(ctx, tenant, id); err != nil {
		return nil, err
	}
	aborted := []string{}
	var errs []error
	for _, runID := range runs {
		gone, err := w.abortParked(ctx, tenant, runID)
		if gone {
			aborted = append(aborted, runID)
		}
		errs = append(errs, err)
	}
	errs = append(errs, w.nc.Publish(subject, []byte("{}")))
	return aborted, errors.Join(errs...)
}

// abortParked deletes a run's record. One that a leg holds is not counted as parked: the leg answers for it.
func (w *Worker) abortParked(ctx context.Context, tenant, runID string) (bool, error) {
	for {
		rec, rev, err := w.snaps.GetLeader(ctx, tenant, runID)
		if errors.Is(err, kvsnapshots.ErrNotFound) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		err = w.snaps.Delete(ctx, tenant, runID, rev)
		if errors.Is(err, kvsnapshots.ErrConflict) {
			continue
		}
		if err != nil {
			return false, err
		}
		if rec.Claim != nil && time.Now().Before(rec.Claim.Until) {
			return false, nil
		}
		if err := w.snaps.Unindex(ctx, tenant, rec.Scope.Session(), runID); err != nil {
			w.log.Warn("session index of an aborted run could not be deleted; it expires", "runId", runID, "error", err)
		}
		w.purgeResults(ctx, tenant, runID)
		w.publishEvent(nil, protocol.Event{
			Kind: protocol.EventAborted, Tenant: tenant, RunID: runID, Scope: rec.Scope, Seq: rec.EventSeq + 1, Detail: protocol.DetailAborted,
		})
		return true, nil
	}
}

// purgeResults drops the stored results of a run that has ended.
func (w *Worker) purgeResults(ctx context.Context, tenant, runID string) {
	if err := w.runs.Purge(ctx, jetstream.WithPurgeSubject(w.names.ResultFilter(tenant, runID))); err != nil {
		w.log.Warn("results of an ended run could not be purged; they expire", "runId", runID, "error", err)
	}
}
