package gateway

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"github.com/nats-io/nats.go"

	"codemode/internal/jetpub"
	"codemode/protocol"
)

// claim makes this process the executor of a guarded call, or deals with the call as what another one has made of it.
// While the ledger does not answer nothing is executed: the worker sends the call again.
func (e *execution) claim() bool {
	l, log := e.s.c.ledger, e.s.c.log.With("runId", e.call.RunID, "callId", e.call.CallID)
	if e.rev != 0 {
		return true // taken over from an executor that died
	}
	mine := entry{State: stateExecuting, Executor: l.executor, Claim: rand.Text(), ToolID: e.call.ToolID, Input: e.call.InputHash()}
	if e.guard == GuardReplay {
		mine.Call = e.call
	}
	for e.ctx.Err() == nil {
		if !l.holds() {
			log.Warn("call waits: the lease of the call ledger is not certain")
			e.pause()
			continue
		}
		rev, err := l.put(e.ctx, e.call.RunID, e.call.CallID, mine, 0, claimAge)
		if err == nil {
			e.claimed(rev)
			return true
		}
		if !errors.Is(err, jetpub.ErrConflict) {
			log.Error("call is not executed: it could not be claimed", "error", err)
			return false
		}
		switch decided, again, err := e.resolve(mine.Claim); {
		case err != nil:
			log.Warn("claimed call could not be judged, trying again", "error", err)
			e.pause()
		case again:
			return true
		case decided:
			return false
		default:
			e.pause()
		}
	}
	return false
}

// resolve deals with a call that has an entry already.
func (e *execution) resolve(claim string) (decided, execute bool, err error) {
	c := e.s.c
	v, entry, result, err := c.ledger.judge(e.ctx, e.call.RunID, e.call.CallID, e.guard == GuardReplay)
	if err != nil {
		return false, false, err
	}
	switch v {
	case settled:
		e.give(result)
	case leave:
		if entry.Claim == claim { // the publish that seemed to fail did not
			e.claimed(entry.rev)
			return true, true, nil
		}
		if entry.State == stateExecuting && entry.Executor == c.ledger.executor && entry.By == "" {
			// This process had it, not for a decision that is carried out, and gave up on its result.
			e.giveUnknown()
			return true, false, nil
		}
		e.accept() // who has it stores the result
	case unknown:
		e.giveUnknown()
	case again:
		e.claimed(entry.rev)
		return true, true, nil
	default:
		return false, false, nil
	}
	return true, false, nil
}

func (e *execution) claimed(rev uint64) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.rev = rev
}

// give answers with a result that is stored.
func (e *execution) give(result []byte) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.answer = result
	e.respondLocked(result)
}

func (e *execution) giveUnknown() {
	answer := failed(e.call.CallID, OutcomeUnknown)
	if _, err := e.s.c.storeResult(e.s.c.ctx, e.call.RunID, e.call.CallID, answer); err != nil {
		e.s.c.log.Error("outcome could not be told; the next leg asks again", "error", err)
		return
	}
	e.accept()
}

func (e *execution) pause() {
	select {
	case <-e.ctx.Done():
	case <-time.After(retryAfter):
	}
}

// standing is what is known of a pending call of a parked run.
type standing uint8

const (
	nobodys   standing = iota // the next leg has to send it again
	somebodys                 // a result will come
	answered                  // a result is stored
)

// standingOf looks at a pending call. Where its executor has died it takes the call over, or gives it the result that
// its outcome is unknown: a worker does not send a call again that was accepted.
func (c *Client) standingOf(ctx context.Context, runID, callID string) (standing, error) {
	c.mu.Lock()
	s := c.server
	c.mu.Unlock()
	if s != nil && s.promised(runID, callID) {
		return somebodys, nil
	}
	v, entry, _, err := c.ledger.judge(ctx, runID, callID, s != nil)
	switch {
	case errors.Is(err, nats.ErrNoResponders): // there is no ledger
		return nobodys, nil
	case err != nil:
		return somebodys, err
	case v == settled:
		return answered, nil
	case v == leave:
		return somebodys, nil
	case v == again:
		s.adopt(entry)
		return somebodys, nil
	case v == unknown:
		_, err := c.storeResult(ctx, runID, callID, failed(callID, OutcomeUnknown))
		return answered, err
	}
	return nobodys, nil
}

// lookForOrphans is for gateways that wait by Wait alone.
func (c *Client) lookForOrphans(runID string, pending []protocol.PendingCall) {
	for _, p := range pending {
		if !p.Method.Remote() {
			continue
		}
		if _, err := c.standingOf(c.ctx, runID, p.CallID); err != nil && c.ctx.Err() == nil {
			c.log.Warn("executor of a pending call could not be looked for", "runId", runID, "callId", p.CallID, "error", err)
		}
	}
}

// promised reports whether this process is certain to store a result of the call.
func (s *server) promised(runID, callID string) bool {
	s.mu.Lock()
	e := s.calls[runID+"/"+callID]
	s.mu.Unlock()
	if e == nil {
		return false
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.accepted || e.rev != 0
}

// adopt executes a call that was taken over from an executor that died.
func (s *server) adopt(entry *entry) {
	e := newExecution(s, entry.Call, nil)
	e.guard, e.rev, e.accepted = GuardReplay, entry.rev, true
	key := e.call.RunID + "/" + e.call.CallID
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopped || s.calls[key] != nil {
		e.stop()
		return
	}
	s.calls[key] = e
	go e.run()
}
