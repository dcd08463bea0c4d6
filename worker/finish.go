package worker

import (
	"context"
	"errors"

	"codemode/kvsnapshots"
	"codemode/protocol"
)

// result makes a result of the run with what every status shows.
func (r *run) result(status protocol.Status) protocol.Result {
	out := r.output
	r.output = nil
	return protocol.Result{Status: status, Output: out, ReplaySafe: r.rec.RestartSafe, Telemetry: r.rec.Telemetry}
}

// finish makes the leg's outcome. An error that is not a *protocol.Error means that the job is to be done again.
func (r *run) finish(how end, err error) (*outcome, error) {
	if err == nil && how == endPark {
		var out *outcome
		if out, err = r.park(); err == nil {
			return out, nil
		}
	}
	if err != nil {
		var fail *protocol.Error
		if !errors.As(err, &fail) {
			return nil, err
		}
		return r.failed(fail), nil
	}
	o := r.rec.Outcome
	if o.Detail != "" {
		return r.failed(&protocol.Error{Detail: o.Detail, Message: o.Error}), nil
	}
	res := r.result(protocol.StatusCompleted)
	res.Value = o.Value
	return r.terminal(res), nil
}

func (r *run) failed(e *protocol.Error) *outcome {
	if e.Cause != nil {
		r.log.Warn("run failed", "detail", e.Detail, "error", e.Cause)
	}
	res := r.result(protocol.StatusFailed)
	res.Error, res.Detail = e.Message, e.Detail
	res.BridgeDispatchStarted = r.rec.DispatchStarted
	switch {
	case r.kind == protocol.JobWait || r.rec.DispatchStarted:
		res.FailurePhase = protocol.PhaseBridge
	case hostFailure(e.Detail):
		res.FailurePhase = protocol.PhaseHost
	default:
		res.FailurePhase = protocol.PhaseGuest
	}
	return r.terminal(res)
}

// hostFailure reports whether a detail tells of the engine, the storage or the workers (contract 14.5).
func hostFailure(d protocol.Detail) bool {
	switch d {
	case protocol.DetailRuntimeUnavailable, protocol.DetailInternal, protocol.DetailRestoreFailed,
		protocol.DetailReplayDiverged, protocol.DetailAttemptsExhausted, protocol.DetailSnapshotLimit,
		protocol.DetailTooManySuspended:
		return true
	}
	return false
}

// terminal ends the run: once the reply is stored, its record and results go.
func (r *run) terminal(res protocol.Result) *outcome {
	kind := protocol.EventCompleted
	if res.Status == protocol.StatusFailed {
		kind = protocol.EventFailed
		if res.Detail == protocol.DetailAborted {
			kind = protocol.EventAborted
		}
	}
	r.event(protocol.Event{Kind: kind, JobID: r.job.JobID, Detail: res.Detail})
	out := &outcome{result: res}
	if r.rev != 0 {
		out.ended = func() { r.w.forget(context.WithoutCancel(r.ctx), r.rec, r.rev) }
	}
	if len(r.rec.Settled) > 0 || len(r.rec.Pending) > 0 {
		out.tidy = func() { r.w.purgeResults(context.WithoutCancel(r.ctx), r.tenant, r.rec.RunID) }
	}
	return out
}

// forget deletes a record and its index key.
func (w *Worker) forget(ctx context.Context, rec *kvsnapshots.Record, rev uint64) {
	err := w.snaps.Delete(ctx, rec.Tenant, rec.RunID, rev)
	if err != nil && !errors.Is(err, kvsnapshots.ErrConflict) {
		w.log.Warn("record of an ended run could not be deleted; it expires", "runId", rec.RunID, "error", err)
	}
	if err := w.snaps.Unindex(ctx, rec.Tenant, rec.Scope.Session(), rec.RunID); err != nil {
		w.log.Warn("session index of an ended run could not be deleted; it expires", "runId", rec.RunID, "error", err)
	}
}
