package gateway

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"codemode/protocol"
)

// hangTime is how long a handler may take to return once its context has ended.
const hangTime = time.Second

// execution is one call that is worked on, however often it is sent. It is answered once.
type execution struct {
	s      *server
	call   *Call
	guard  Guard
	ctx    context.Context
	cancel context.CancelCauseFunc
	stop   context.CancelFunc

	mu       sync.Mutex
	inboxes  []*nats.Msg // that wait for an answer
	accepted bool
	answer   []byte // set once
	timer    *time.Timer
	hang     func() bool
	rev      uint64 // of the ledger's entry
}

func newExecution(s *server, call *Call, msg *nats.Msg) *execution {
	e := &execution{s: s, call: call}
	if msg != nil {
		e.inboxes = []*nats.Msg{msg}
	}
	e.ctx, e.cancel, e.stop = s.callContext(msg)
	call.accept = e.accept
	if s.c.opt.Guard != nil {
		e.guard = s.c.opt.Guard(call)
	}
	return e
}

// join adds an inbox: a repeated call.
func (e *execution) join(msg *nats.Msg) {
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case e.answer != nil:
		e.s.c.respond(msg, e.answer)
	case e.accepted:
		e.s.c.respond(msg, nil)
	default:
		e.inboxes = append(e.inboxes, msg)
	}
}

// accept tells who waits that the result is stored later.
func (e *execution) accept() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.answer != nil || e.accepted {
		return
	}
	e.accepted = true
	e.respondLocked(nil)
}

func (e *execution) respondLocked(answer []byte) {
	for _, msg := range e.inboxes {
		e.s.c.respond(msg, answer)
	}
	e.inboxes = nil
}

// armAccept begins the time after which a call is accepted. What is guarded is not accepted before it is claimed: a
// claim that is lost with this process must be one that its worker, or the ledger, knows of.
func (e *execution) armAccept() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.timer = time.AfterFunc(e.s.c.opt.AcceptAfter, e.accept)
}

// run executes the call, if it is this process that may.
func (e *execution) run() {
	var remember []byte
	defer func() {
		e.stop()
		e.cancel(nil)
		e.s.done(e, remember)
	}()
	if e.guard == GuardNone {
		e.armAccept()
	}
	select {
	case e.s.slots <- struct{}{}:
	case <-e.ctx.Done():
		e.notStarted()
		return
	}
	release := sync.OnceFunc(func() { <-e.s.slots })
	defer release()
	if e.guard != GuardNone {
		if !e.claim() {
			return
		}
		e.armAccept()
	}
	// A handler that does not return is answered for: its run must not hang with it.
	e.hang = context.AfterFunc(e.ctx, func() {
		t := time.AfterFunc(hangTime, func() { e.finish(failed(e.call.CallID, outcomeOf(e.ctx))) })
		context.AfterFunc(e.s.c.ctx, func() { t.Stop() })
	})
	answer, pending := e.s.c.invoke(e.ctx, e.call, e.s.handle)
	e.hang()
	release()
	switch {
	case pending != nil:
		e.hold(pending)
		return
	case context.Cause(e.ctx) == errTooSlow || context.Cause(e.ctx) == errShutdown:
		if e.call.failedBy(answer, e.ctx) {
			answer = failed(e.call.CallID, outcomeOf(e.ctx))
		}
	}
	e.finish(answer)
	if e.guard == GuardNone {
		remember = answer
	}
}

// notStarted ends a call that never got a slot. Who has not been promised a result is left without one, and
// another replica gets the call with the next leg.
func (e *execution) notStarted() {
	e.mu.Lock()
	accepted := e.accepted
	e.mu.Unlock()
	if accepted {
		e.finish(failed(e.call.CallID, msgNotStarted))
	}
}

// failedBy reports whether an answer is a failure, which a call whose context has ended is taken to owe to that.
func (c *Call) failedBy(answer []byte, ctx context.Context) bool {
	res, err := protocol.DecodeCallResult(c.CallID, answer)
	return ctx.Err() != nil && (err != nil || !res.OK)
}

func outcomeOf(ctx context.Context) string {
	if errors.Is(context.Cause(ctx), errAborted) {
		return protocol.ErrAborted.Message
	}
	return OutcomeUnknown
}

// finish gives the answer to where it is awaited, once: to the inbox, or into the stream where the call was accepted
// or is guarded.
func (e *execution) finish(answer []byte) {
	e.mu.Lock()
	if e.answer != nil {
		e.mu.Unlock()
		e.s.c.log.Warn("late result of a call is dropped", "runId", e.call.RunID, "callId", e.call.CallID)
		return
	}
	e.answer = answer
	if e.timer != nil {
		e.timer.Stop()
	}
	store := e.accepted || e.guard != GuardNone
	if context.Cause(e.ctx) == errAborted { // nobody reads it, and what is stored now stays for a day
		store = false
	}
	if !store {
		e.respondLocked(answer)
	}
	e.mu.Unlock()
	if !store {
		return
	}
	stands, err := e.s.c.storeResult(e.s.c.ctx, e.call.RunID, e.call.CallID, answer)
	if err != nil {
		e.s.c.log.Error("result of a call is lost", "runId", e.call.RunID, "callId", e.call.CallID, "error", err)
		return
	}
	if !stands {
		e.s.c.log.Warn("call has a result already", "runId", e.call.RunID, "callId", e.call.CallID)
	}
	if e.guard != GuardNone {
		e.s.c.ledger.markDone(e.call, e.rev)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.respondLocked(nil)
}
