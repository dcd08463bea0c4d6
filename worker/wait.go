package worker

import (
	"errors"
	"time"

	"codemode/kvsnapshots"
	"codemode/protocol"
	"codemode/source"
)

// claimMargin is how much longer than its leg a claim holds, so that a claim ends only after its leg has.
const claimMargin = 5 * time.Second

// wait goes on with a parked run (contract 11.3).
func (l *leg) wait() (*outcome, error) {
	if !protocol.ValidRunID(l.job.RunID) {
		return l.refuse(protocol.ErrRunUnavailable), nil
	}
	r, out, err := l.claim()
	if r == nil {
		return out, err
	}
	l.atEnd = r.close
	r.rec.Telemetry.Legs++
	r.atStart = map[string]bool{}
	for _, p := range r.rec.Pending {
		r.atStart[p.CallID] = true
	}
	if l.attempt > 1 {
		if err := r.recall(); err != nil {
			return nil, err
		}
	}
	if err := r.listen(); err != nil {
		return nil, err
	}
	if err := r.dispatch(0); err != nil {
		return r.finish(0, err)
	}
	s, how, err := r.next()
	if err == nil && how == 0 {
		turn, turnErr := r.settle(s)
		how, err = r.drive(turn, turnErr)
	}
	return r.finish(how, err)
}

// claim finds the run, checks that the job may go on with it, and takes hold of it. The run is nil where
// the leg ends with the outcome or error.
func (l *leg) claim() (*run, *outcome, error) {
	get := l.w.snaps.Get
	for {
		rec, rev, err := get(l.ctx, l.tenant, l.job.RunID)
		if errors.Is(err, kvsnapshots.ErrNotFound) {
			return nil, l.refuse(protocol.ErrRunUnavailable), nil
		}
		if errors.Is(err, kvsnapshots.ErrBadRecord) {
			return nil, l.refuse(&protocol.Error{Detail: protocol.DetailRestoreFailed, Message: protocol.ErrRestore.Message, Cause: err}), nil
		}
		if err != nil {
			return nil, nil, err
		}
		if l.attempt > 1 && rec.ParkedBy == l.job.JobID {
			out, err := repeated(rec)
			return nil, out, err
		}
		if fail := rec.Scope.Authorise(l.job.Scope); fail != nil {
			return nil, l.refuse(fail), nil
		}
		if rec.Claim.Held(l.job.JobID, time.Now()) {
			return nil, l.refuse(protocol.ErrAlreadyResuming), nil
		}
		r, err := l.hold(rec, rev)
		if errors.Is(err, kvsnapshots.ErrConflict) {
			get = l.w.snaps.GetLeader // the read was stale, or another leg was faster
			continue
		}
		if err != nil {
			return nil, nil, err
		}
		if out, err := r.load(); out != nil || err != nil {
			return nil, out, err
		}
		return r, nil, nil
	}
}

// hold writes the claim. A run that is being waited on does not expire meanwhile (contract 12.2).
func (l *leg) hold(rec *kvsnapshots.Record, rev uint64) (*run, error) {
	r := &run{leg: l, rec: rec, rev: rev}
	timeout := time.Duration(rec.Config.TimeoutMs) * time.Millisecond
	r.deadline = l.taken.Add(timeout)
	rec.Claim = &kvsnapshots.Claim{JobID: l.job.JobID, Worker: l.w.opt.ID, Until: time.Now().Add(timeout + claimMargin)}
	var err error
	r.rev, err = l.w.snaps.Put(l.ctx, rec, rev, r.retention()+timeout+2*claimMargin)
	return r, err
}

// load brings back what the record only names: the catalogue, and the line map.
func (r *run) load() (*outcome, error) {
	cat, err := r.loadRecordCatalog()
	if err == nil {
		r.view, err = cat.ForRun(r.rec.Namespaces, r.rec.Swarm.Enabled)
	}
	if err == nil && len(r.rec.Lines) > 0 {
		r.lines, err = source.UnmarshalLineMap(r.rec.Lines)
	}
	if err != nil {
		var fail *protocol.Error
		if !errors.As(err, &fail) {
			return nil, err
		}
		return r.failed(&protocol.Error{Detail: protocol.DetailRestoreFailed, Message: protocol.ErrRestore.Message, Cause: err}), nil
	}
	return nil, nil
}
