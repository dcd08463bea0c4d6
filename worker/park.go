package worker

import (
	"context"
	"errors"
	"slices"
	"time"

	"codemode/kvsnapshots"
	"codemode/protocol"
	"codemode/vm"
)

const (
	// agentWaitFactor and maxRetention are the retention of a run parked on a collector wait (contract 2.4).
	agentWaitFactor = 4
	maxRetention    = 86400 * time.Second
)

// park stores the run and gives its waiting result (contract 11.1).
func (r *run) park() (*outcome, error) {
	ctx := context.WithoutCancel(r.ctx)
	if cause := context.Cause(r.ctx); errors.Is(cause, protocol.ErrAborted) {
		return nil, cause
	}
	if r.results != nil {
		r.collect() // a call that was accepted meanwhile need not be sent again
	}
	if err := r.checkSuspended(ctx); err != nil {
		return nil, err
	}
	if err := r.freeze(); err != nil {
		return nil, err
	}
	if err := r.storeInlineCatalog(ctx); err != nil {
		return nil, err
	}
	res := r.waiting()
	reply, err := protocol.Marshal(res)
	if err != nil {
		return nil, err
	}
	ttl := r.retention()
	r.rec.ParkedBy, r.rec.Reply, r.rec.Claim, r.rec.Expires = r.job.JobID, reply, nil, time.Now().Add(ttl)
	r.event(protocol.Event{Kind: protocol.EventSuspended, JobID: r.job.JobID, Bytes: r.rec.Telemetry.SnapshotBytes})
	if err := r.store(ctx, ttl); err != nil {
		return nil, err
	}
	r.w.metrics.suspended(ctx, r.rec.Telemetry.SnapshotBytes, len(r.rec.State))
	return &outcome{result: res}, nil
}

// checkSuspended refuses to park a run beyond the session's cap; a run that has a slot keeps it (contract 12.3).
func (r *run) checkSuspended(ctx context.Context) error {
	if r.rev != 0 {
		return nil
	}
	others, err := r.w.snaps.Suspended(ctx, r.tenant, r.rec.Scope.Session())
	if errors.Is(err, kvsnapshots.ErrTooMany) || len(others) >= r.w.opt.SuspendedPerSession {
		return protocol.ErrTooManySuspended
	}
	return err
}

// freeze takes the VM's state. Where the guest was not restored in this leg the stored state stays.
func (r *run) freeze() error {
	if r.vm == nil {
		return nil
	}
	began := time.Now()
	state, err := r.vm.Suspend(r.rec.Config.MaxSnapshotBytes)
	r.vmTime += time.Since(began)
	if err != nil {
		return err
	}
	r.rec.State, r.rec.Guest, r.rec.Engine = state.Data, kvsnapshots.Counters(state.Counters), r.w.opt.Engine.Identity()
	r.rec.Telemetry.SnapshotBytes = state.Bytes
	return nil
}

func (r *run) waiting() protocol.Result {
	res := r.result(protocol.StatusWaiting)
	res.RunID, res.Reason = r.rec.RunID, protocol.ReasonYield
	for _, p := range r.rec.Pending {
		if p.Method != protocol.MethodYield {
			res.Reason = protocol.ReasonPendingTools
		}
		if len(res.Pending) < protocol.MaxPendingListed {
			res.Pending = append(res.Pending, pendingCall(p))
		}
	}
	return res
}

func pendingCall(p kvsnapshots.Pending) protocol.PendingCall {
	return protocol.PendingCall{ID: protocol.BridgeID(p.Method, p.N), Method: p.Method, CallID: p.CallID, ToolID: p.ToolID}
}

// retention is how long the parked run is kept (contract 12.2).
func (r *run) retention() time.Duration {
	ttl := time.Duration(r.rec.Config.SnapshotTTLSeconds) * time.Second
	if slices.ContainsFunc(r.rec.Pending, func(p kvsnapshots.Pending) bool { return p.Method == protocol.MethodAgentWait }) {
		ttl = min(agentWaitFactor*ttl, maxRetention)
	}
	return ttl
}

// store writes the record under the revision that the leg holds.
func (r *run) store(ctx context.Context, ttl time.Duration) error {
	rev, err := r.w.snaps.Put(ctx, r.rec, r.rev, ttl)
	switch {
	case errors.Is(err, kvsnapshots.ErrTooLarge):
		return protocol.ErrSnapshot
	case errors.Is(err, kvsnapshots.ErrNoTTL):
		return protocol.ErrExpiryUnavailable
	case errors.Is(err, kvsnapshots.ErrConflict):
		return r.overtaken(ctx)
	case err != nil:
		return err
	}
	r.rev = rev
	return r.w.snaps.Index(ctx, r.tenant, r.rec.Scope.Session(), r.rec.RunID, ttl)
}

// overtaken says why the record is not the one that the leg holds: it was aborted, or another worker has
// taken the run over.
func (r *run) overtaken(ctx context.Context) error {
	aborted, err := r.w.snaps.AbortedSince(ctx, r.tenant, r.rec.RunID, r.rec.Scope.SessionID, r.stored)
	if err != nil {
		return err
	}
	if aborted {
		return protocol.ErrAborted
	}
	return errOvertaken
}

var errOvertaken = errors.New("another worker has taken the run over")

// restore brings the guest back once there is something to deliver; in an exec leg it is there already.
func (r *run) restore() error {
	if r.vm != nil {
		return nil
	}
	v, err := r.w.opt.Engine.Resume(r.rec.State, vm.Counters(r.rec.Guest), r, r.limits())
	if err != nil {
		return &protocol.Error{Detail: protocol.DetailRestoreFailed, Message: protocol.ErrRestore.Message, Cause: err}
	}
	r.vm = v
	r.vm.SetClock(r.rec.Clock)
	r.event(protocol.Event{Kind: protocol.EventResumed, JobID: r.job.JobID})
	return nil
}
