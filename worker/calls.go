package worker

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"codemode/internal/jetpub"
	"codemode/internal/natstrace"
	"codemode/kvsnapshots"
	"codemode/protocol"
)

const (
	// Where no gateway listens a call is tried again after a pause that doubles within these bounds.
	minCallBackoff = 20 * time.Millisecond
	maxCallBackoff = time.Second
)

// dispatch sends the remote requests from index first on that no gateway has accepted yet, concurrently
// and in order of request (contract 10.2).
func (r *run) dispatch(first int) error {
	recorded := false
	for i := first; i < len(r.rec.Pending); i++ {
		p := &r.rec.Pending[i]
		if !p.Method.Remote() && p.Method != protocol.MethodSleep || p.Rejected != "" {
			continue
		}
		if err := r.listen(); err != nil {
			return err
		}
		recorded = recorded || r.known[p.CallID]
		if p.Method == protocol.MethodSleep || p.Accepted || r.known[p.CallID] || r.results.has(p.CallID) {
			continue
		}
		p.Attempt = max(p.Attempt+1, r.attempt)
		data, err := protocol.Marshal(r.call(p))
		if err != nil {
			return err
		}
		msg := nats.NewMsg(r.w.names.Call(r.tenant, r.rec.RunID, p.CallID))
		msg.Data = data
		r.rec.DispatchStarted = true
		r.event(protocol.Event{Kind: protocol.EventCall, ToolID: p.ToolID, CallID: p.CallID, Method: p.Method, Attempt: p.Attempt})
		if p.Method == protocol.MethodSwarmNote {
			r.noteEvent(p.Input)
		}
		r.w.metrics.call(r.ctx, p.Method)
		r.results.send(r, msg, p.CallID, p.ToolID, p.Method)
	}
	if recorded {
		return r.results.look(r.ctx, r.pendingIDs())
	}
	return nil
}

func (r *run) call(p *kvsnapshots.Pending) protocol.Call {
	c := protocol.Call{
		V: protocol.Version, Tenant: r.tenant, RunID: r.rec.RunID, CallID: p.CallID, ID: protocol.BridgeID(p.Method, p.N),
		Method: p.Method, Attempt: p.Attempt, Deadline: r.deadline.UTC(), Scope: r.rec.Scope, ParentToolCallID: r.rec.ParentToolCallID,
		ToolID: p.ToolID, ToolName: p.ToolName,
	}
	if p.Method.Swarm() {
		c.Args = p.Input
	} else {
		c.Input = p.Input
	}
	if p.Method == protocol.MethodNamespace {
		c.Namespace = &protocol.CallNamespace{ID: p.Path[0], Path: p.Path[1:]}
	}
	return c
}

// send requests a call from the gateway; a goroutine, which ends with the leg, sees to the answer.
func (q *results) send(r *run, msg *nats.Msg, callID, toolID string, method protocol.Method) {
	ctx, span := tracer().Start(q.ctx, "call", trace.WithSpanKind(trace.SpanKindClient), trace.WithAttributes(
		attribute.String("codemode.call_id", callID), attribute.String("codemode.tool_id", toolID), attribute.String("codemode.method", string(method))))
	natstrace.Inject(ctx, msg)
	w, log := r.w, r.log.With("callId", callID)
	sent := time.Now()
	first, forget, err := w.inbox.publish(msg) // here, so that calls leave in their order
	q.sending.Go(func() {
		defer span.End()
		var answer []byte
		if err == nil {
			answer, err = w.answer(ctx, msg, first, forget)
		}
		w.tellCall(log, toolID, method, answer, err, sent)
		switch {
		case err != nil && ctx.Err() != nil:
			return // the leg has ended; the next one sends it again if it has to
		case errors.Is(err, nats.ErrMaxPayload):
			err = w.storeResult(ctx, q.names(callID), protocol.FailedCall(callID, protocol.MsgInputTooLarge))
		case err == nil && len(answer) == 0:
			q.tell(callID)
			return
		case err == nil:
			err = w.storeAnswer(ctx, q.names(callID), callID, answer)
		}
		if err != nil && ctx.Err() == nil {
			span.SetStatus(codes.Error, err.Error())
			log.Warn("call failed; it is sent again by the next leg", "error", err)
			w.metrics.dropped(ctx, "call_failed")
		}
	})
}

// answer waits for the answer to a call, and sends it again while nobody is there to take it. A request that
// was lost on its way is not told from one that is worked on, so it is never sent twice in a leg (protocol 4).
func (w *Worker) answer(ctx context.Context, msg *nats.Msg, answer <-chan *nats.Msg, forget func()) ([]byte, error) {
	backoff := minCallBackoff
	for {
		select {
		case <-ctx.Done():
			forget()
			return nil, context.Cause(ctx)
		case got := <-answer:
			if !unanswered(got) {
				return got.Data, nil
			}
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-time.After(backoff + rand.N(backoff)):
		}
		backoff = min(backoff*2, maxCallBackoff)
		var err error
		if answer, forget, err = w.inbox.publish(msg); err != nil {
			return nil, err
		}
	}
}

// storeAnswer stores what a gateway answered by the inbox. What is too large or malformed is replaced by
// a failure, so that a run executed again gets the same.
func (w *Worker) storeAnswer(ctx context.Context, subject, callID string, answer []byte) error {
	if len(answer) > w.maxCallBytes() {
		w.metrics.dropped(ctx, "result_too_large")
		return w.storeResult(ctx, subject, protocol.FailedCall(callID, protocol.MsgResultTooLarge))
	}
	if _, err := protocol.DecodeCallResult(callID, answer); err != nil {
		w.log.Warn("malformed answer to a call", "callId", callID, "error", err)
		w.metrics.dropped(ctx, "malformed_result")
		return w.storeResult(ctx, subject, protocol.FailedCall(callID, protocol.MsgNestedToolFailed))
	}
	return w.publishResult(ctx, subject, answer)
}

func (w *Worker) storeResult(ctx context.Context, subject string, res protocol.CallResult) error {
	data, err := protocol.Marshal(res)
	if err != nil {
		return err
	}
	return w.publishResult(ctx, subject, data)
}

// publishResult stores a result; that there is one already is no error (protocol 4).
func (w *Worker) publishResult(ctx context.Context, subject string, data []byte) error {
	msg := nats.NewMsg(subject)
	msg.Data = data
	natstrace.Inject(ctx, msg)
	_, err := jetpub.Publish(ctx, w.js, msg, jetstream.WithMsgID(subject))
	if errors.Is(err, jetpub.ErrExists) {
		return nil
	}
	return err
}
