package gateway

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/nats-io/nats.go"

	"codemode/protocol"
	"codemode/subjects"
)

// Record fills a transcript from a run while it happens: events, the calls of all replicas, and results as they are
// stored. Call it before Exec with a run id of yours. changed gets a token after news, if none is waiting in it, and is
// closed when the run has ended, ctx ends or the client is closed. Results are deleted with the run, and an event has
// no input, so what is wanted afterwards is kept by whoever records; History gives the frame.
//
// It needs the right to subscribe to <prefix>.live.<tenant>.*.*, and, on a connection that serves, allow_responses of one
// more than the recordings of a run: the server counts a call that reaches a connection again as an answer to it.
func (c *Client) Record(ctx context.Context, runID string, into *Transcript) (changed <-chan struct{}, err error) {
	if !protocol.ValidRunID(runID) {
		return nil, fmt.Errorf("record: %w: run id is no run token", ErrInput)
	}
	msgs := make(chan *nats.Msg, 1024)
	r := &recorder{c: c, into: into, msgs: msgs, out: make(chan struct{}, 1)}
	n, tenant := c.names, c.opt.Tenant
	for _, filter := range []string{n.EventFilter(tenant, runID), n.CallFilter(tenant, runID), n.Live(tenant, runID, subjects.Any)} {
		sub, err := c.nc.ChanSubscribe(filter, msgs)
		if err == nil {
			r.subs = append(r.subs, sub)
			err = c.flush(ctx, sub)
		}
		if err != nil {
			r.drop()
			return nil, fmt.Errorf("record run %s: %w", runID, err)
		}
	}
	if !c.goWork(func() { r.run(ctx) }) {
		r.drop()
		return nil, fmt.Errorf("record run %s: %w", runID, ErrClosed)
	}
	return r.out, nil
}

type recorder struct {
	c    *Client
	into *Transcript
	msgs <-chan *nats.Msg
	subs []*nats.Subscription
	out  chan struct{}
}

func (r *recorder) drop() {
	for _, sub := range r.subs {
		drop(sub)
	}
}

func (r *recorder) run(ctx context.Context) {
	defer close(r.out)
	defer r.drop()
	for {
		select {
		case msg := <-r.msgs:
			ended := r.take(msg)
			select {
			case r.out <- struct{}{}:
			default:
			}
			if ended {
				return
			}
		case <-ctx.Done():
			return
		case <-r.c.ctx.Done():
			return
		}
	}
}

func (r *recorder) take(msg *nats.Msg) (ended bool) {
	if callID, ok := r.c.names.ParseLive(msg.Subject); ok {
		r.into.AddResult(callID, msg.Data)
		return false
	}
	var both struct {
		Kind protocol.EventKind `json:"kind"`
	}
	err := json.Unmarshal(msg.Data, &both)
	if err == nil && both.Kind != "" {
		var event protocol.Event
		if err = json.Unmarshal(msg.Data, &event); err == nil {
			r.into.AddEvent(event)
			return Ends(event.Kind)
		}
	}
	var call protocol.Call
	if err == nil {
		if err = json.Unmarshal(msg.Data, &call); err == nil {
			r.into.AddCall(call)
			return false
		}
	}
	r.c.log.Error("malformed message of a run", "subject", msg.Subject, "error", err)
	return false
}
