package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"codemode/internal/jetpub"
	"codemode/internal/natstrace"
	"codemode/protocol"
	"codemode/subjects"
)

// server answers the calls of one client.
type server struct {
	c      *Client
	handle Handler
	subs   []*nats.Subscription
	slots  chan struct{} // held while a handler runs

	ctx    context.Context // of handlers
	cancel context.CancelCauseFunc

	mu      sync.Mutex
	calls   map[string]*execution // by run and call id, those that are worked on
	recent  memory
	stopped bool
	idle    chan struct{} // closed when stopped and nothing is worked on
}

// The causes of a handler's context.
var (
	errAborted  = errors.New("run was aborted")
	errShutdown = errors.New("gateway shuts down")
	errPanicked = errors.New(msgPanicked)
	errTooSlow  = errors.New("call took longer than its timeout")
)

// Serve begins to answer the nested calls of the tenant's runs, and returns. Every replica of a gateway serves: each
// call goes to one of them. Only one Serve per client: another one is ErrServing. ErrPermission names the subject that
// may not be subscribed to, ErrNoLedger says that Options.Guard is set and there is no ledger.
func (c *Client) Serve(handle Handler) error {
	s := &server{
		c: c, handle: handle, slots: make(chan struct{}, c.opt.Concurrency),
		calls: map[string]*execution{}, recent: newMemory(), idle: make(chan struct{}),
	}
	s.ctx, s.cancel = context.WithCancelCause(context.Background())
	c.mu.Lock()
	var err error
	switch {
	case c.closed:
		err = ErrClosed
	case c.server != nil:
		err = ErrServing
	default:
		c.server = s
	}
	c.mu.Unlock()
	if err == nil {
		err = s.start()
	}
	if err != nil {
		s.cancel(errShutdown)
		return fmt.Errorf("serve: %w", err)
	}
	return nil
}

func (s *server) start() error {
	c := s.c
	if c.opt.Guard != nil {
		if err := c.ledger.open(c.ctx); err != nil {
			return s.undo(err)
		}
	}
	for _, sub := range []struct {
		filter, queue string
		take          nats.MsgHandler
	}{
		{c.names.AbortFilter(c.opt.Tenant), "", s.onAbort}, // first: no call without its abort
		{c.names.CallFilter(c.opt.Tenant, subjects.Any), c.opt.QueueGroup, s.onCall},
	} {
		subscription, err := c.subscribe(sub.filter, sub.queue, sub.take)
		if err != nil {
			return s.undo(fmt.Errorf("subscribe: %w", err))
		}
		s.subs = append(s.subs, subscription)
	}
	return nil
}

func (s *server) undo(err error) error {
	for _, sub := range s.subs {
		_ = sub.Unsubscribe() // err is the one to tell
	}
	s.c.mu.Lock()
	defer s.c.mu.Unlock()
	s.c.server = nil
	return err
}

// stop ends in two steps: no new calls, then no more time for those that are worked on.
func (s *server) stop() error {
	for _, sub := range s.subs {
		if err := sub.Unsubscribe(); err != nil && !errors.Is(err, nats.ErrConnectionClosed) {
			s.c.log.Warn("unsubscribe", "subject", sub.Subject, "error", err)
		}
	}
	s.mu.Lock()
	s.stopped = true
	s.checkIdleLocked()
	s.mu.Unlock()
	grace := time.NewTimer(s.c.opt.Grace)
	defer grace.Stop()
	for range 2 {
		select {
		case <-s.idle:
			s.cancel(errShutdown)
			return nil
		case <-grace.C:
			s.cancel(errShutdown)
			grace.Reset(s.c.opt.Grace)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return fmt.Errorf("%w: %d are left", ErrGrace, len(s.calls))
}

func (s *server) checkIdleLocked() {
	if !s.stopped || len(s.calls) > 0 {
		return
	}
	select {
	case <-s.idle:
	default:
		close(s.idle)
	}
}

// onCall takes a call. One that cannot be read is answered as failed: nobody could make more of it.
func (s *server) onCall(msg *nats.Msg) {
	runID, callID := address(msg.Subject)
	call := &Call{}
	err := json.Unmarshal(msg.Data, &call.Call)
	if err == nil && (call.V != protocol.Version || call.Tenant != s.c.opt.Tenant || call.RunID != runID || call.CallID != callID) {
		err = fmt.Errorf("version %d, tenant, run or call id is not that of the subject", call.V)
	}
	if err != nil {
		s.c.log.Error("malformed call", "subject", msg.Subject, "bytes", len(msg.Data), "error", err)
		s.c.respond(msg, failed(callID, protocol.MsgNestedToolFailed))
		return
	}
	s.take(call, msg)
}

// take begins to execute a call that is new. A repeated one gets the answer of the first, now or later.
func (s *server) take(call *Call, msg *nats.Msg) {
	key := call.RunID + "/" + call.CallID
	s.mu.Lock()
	if e := s.calls[key]; e != nil {
		s.mu.Unlock()
		e.join(msg)
		return
	}
	if answer := s.recent.get(key); answer != nil {
		s.mu.Unlock()
		s.c.respond(msg, answer)
		return
	}
	if s.stopped {
		s.mu.Unlock()
		return // another replica gets it with the next leg
	}
	e := newExecution(s, call, msg)
	s.calls[key] = e
	s.mu.Unlock()
	go e.run()
}

func (s *server) done(e *execution, remember []byte) {
	key := e.call.RunID + "/" + e.call.CallID
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.calls, key)
	if remember != nil {
		s.recent.put(key, remember)
	}
	s.checkIdleLocked()
}

// onAbort ends the contexts of the calls of a run or a session.
func (s *server) onAbort(msg *nats.Msg) {
	abort, ok := s.c.names.ParseAbort(msg.Subject)
	if !ok {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range s.calls {
		if abort.RunID != "" && e.call.RunID == abort.RunID ||
			abort.RunID == "" && e.call.Scope.SessionID != "" && protocol.SessionToken(e.call.Scope.SessionID) == abort.SessionToken {
			e.cancel(errAborted)
		}
	}
}

// respond answers the inbox of a call; a nil message is a call without one.
func (c *Client) respond(msg *nats.Msg, answer []byte) {
	if msg == nil {
		return
	}
	if err := msg.Respond(answer); err != nil {
		c.log.Warn("call could not be answered; its worker sends it again", "subject", msg.Subject, "error", err)
	}
}

// storeResult puts the result of a call into the stream, where any worker finds it. The first one counts: ErrExists
// of another one is told by stands.
func (c *Client) storeResult(ctx context.Context, runID, callID string, answer []byte) (stands bool, err error) {
	subject := c.names.Result(c.opt.Tenant, runID, callID)
	_, err = c.publish(ctx, subject, answer, jetstream.WithMsgID(subject))
	if errors.Is(err, jetpub.ErrExists) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("store result of call %s of run %s: %w", callID, runID, err)
	}
	return true, nil
}

func (c *Client) maxResultBytes() int { return int(c.nc.MaxPayload()) - protocol.CallReserveBytes }

// invoke runs a handler and encodes what it gives. Panics end here.
func (c *Client) invoke(ctx context.Context, call *Call, handle Handler) (answer []byte, pending *PendingError) {
	log := c.log.With("runId", call.RunID, "callId", call.CallID, "tool", call.ToolID)
	value, err := func() (value any, err error) {
		defer func() {
			if p := recover(); p != nil {
				log.Error("tool panicked", "panic", p, "stack", string(debug.Stack()))
				err = errPanicked
			}
		}()
		return handle(ctx, call)
	}()
	if errors.As(err, &pending) {
		return nil, pending
	}
	answer, fault := encodeAnswer(call.CallID, value, err, c.maxResultBytes())
	if fault != nil {
		log.Error("result of a tool was replaced", "error", fault)
	}
	return answer, nil
}

// callContext makes the context of a handler.
func (s *server) callContext(msg *nats.Msg) (context.Context, context.CancelCauseFunc, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(s.ctx)
	ctx, stop := context.WithTimeoutCause(ctx, s.c.opt.CallTimeout, errTooSlow)
	if msg != nil {
		ctx = natstrace.Extract(ctx, msg.Header)
	}
	return ctx, cancel, stop
}
