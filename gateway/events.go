package gateway

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"

	"codemode/protocol"
	"codemode/subjects"
)

// Ends reports whether an event of the kind is the last of its run.
func Ends(kind protocol.EventKind) bool {
	switch kind {
	case protocol.EventCompleted, protocol.EventFailed, protocol.EventAborted, protocol.EventExpired:
		return true
	}
	return false
}

// Events gives the steps of a run as they happen, from now on: call it before Exec, with a run id of yours, to get all.
// The channel is closed after the run's last event, when ctx ends, and when the client is closed. Delivery is at most
// once, a gap shows in Seq; History has what was stored.
func (c *Client) Events(ctx context.Context, runID string) (<-chan protocol.Event, error) {
	if !protocol.ValidRunID(runID) {
		return nil, fmt.Errorf("events: %w: run id is no run token", ErrInput)
	}
	msgs := make(chan *nats.Msg, 1024)
	sub, err := c.nc.ChanSubscribe(c.names.EventFilter(c.opt.Tenant, runID), msgs)
	if err != nil {
		return nil, fmt.Errorf("events: %w", err)
	}
	if err := c.flush(ctx, sub); err != nil {
		return nil, fmt.Errorf("events: %w", err)
	}
	out := make(chan protocol.Event)
	if !c.goWork(func() { defer close(out); defer drop(sub); c.pass(ctx, msgs, out) }) {
		drop(sub)
		return nil, fmt.Errorf("events: %w", ErrClosed)
	}
	return out, nil
}

func (c *Client) pass(ctx context.Context, msgs <-chan *nats.Msg, out chan<- protocol.Event) {
	for {
		var event protocol.Event
		select {
		case msg := <-msgs:
			if err := json.Unmarshal(msg.Data, &event); err != nil {
				c.log.Error("malformed event", "subject", msg.Subject, "error", err)
				continue
			}
		case <-ctx.Done():
			return
		case <-c.ctx.Done():
			return
		}
		select {
		case out <- event:
		case <-ctx.Done():
			return
		case <-c.ctx.Done():
			return
		}
		if Ends(event.Kind) {
			return
		}
	}
}

// History reads the stored steps of a run in order. They are kept a day. The user needs the right to make a consumer:
// publish to $JS.API.CONSUMER.CREATE.CM_EVENTS.*.<prefix>.event.<tenant>.>.
func (c *Client) History(ctx context.Context, runID string) ([]protocol.Event, error) {
	if !protocol.ValidRunID(runID) {
		return nil, fmt.Errorf("history: %w: run id is no run token", ErrInput)
	}
	msgs, err := c.list(ctx, subjects.StreamEvents, c.names.EventFilter(c.opt.Tenant, runID), allMessages)
	if err != nil {
		return nil, fmt.Errorf("history of run %s: %w", runID, err)
	}
	events := make([]protocol.Event, 0, len(msgs))
	for _, msg := range msgs {
		var event protocol.Event
		if err := json.Unmarshal(msg.Data, &event); err != nil {
			return nil, fmt.Errorf("history of run %s: %w: %w", runID, ErrMalformed, err)
		}
		events = append(events, event)
	}
	return events, nil
}

// ended gives the kind of the event that ended a run, "" where there is none.
func (c *Client) ended(ctx context.Context, runID string) (protocol.EventKind, error) {
	for _, kind := range []protocol.EventKind{protocol.EventCompleted, protocol.EventFailed, protocol.EventAborted, protocol.EventExpired} {
		msg, err := c.last(ctx, subjects.StreamEvents, c.names.Event(c.opt.Tenant, runID, kind))
		if err != nil || msg != nil {
			return kind, err
		}
	}
	return "", nil
}

// The deliver policies of list.
const (
	lastPerSubject = "last_per_subject"
	allMessages    = "all"
)

// list reads what a stream has below a filter, by a consumer that the server forgets by itself. The filter is part of
// the request's subject, so that the right to it can be given for a tenant alone.
func (c *Client) list(ctx context.Context, stream, filter, policy string) ([]*nats.Msg, error) {
	ctx, cancel := context.WithTimeout(ctx, 4*flushTimeout)
	defer cancel()
	inbox, name := c.nc.NewInbox(), NewJobID()
	sub, err := c.nc.SubscribeSync(inbox)
	if err != nil {
		return nil, err
	}
	defer drop(sub)
	if err := sub.SetPendingLimits(-1, -1); err != nil {
		return nil, err
	}
	req, err := protocol.Marshal(map[string]any{"stream_name": stream, "action": "create", "config": map[string]any{
		"name": name, "deliver_subject": inbox, "filter_subject": filter, "deliver_policy": policy,
		"ack_policy": "none", "replay_policy": "instant", "mem_storage": true, "num_replicas": 1, "inactive_threshold": 5 * time.Second,
	}})
	if err != nil {
		return nil, err
	}
	create := "$JS.API.CONSUMER.CREATE." + stream + "." + name + "." + filter
	msg, err := c.nc.RequestWithContext(ctx, create, req)
	if err != nil {
		return nil, unanswered(c.nc, err, "$JS.API.CONSUMER.CREATE."+stream)
	}
	var made struct {
		NumPending uint64 `json:"num_pending"`
		Delivered  struct {
			Consumer uint64 `json:"consumer_seq"`
		} `json:"delivered"`
		Error *struct {
			Description string `json:"description"`
		} `json:"error"`
	}
	if err := json.Unmarshal(msg.Data, &made); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	if made.Error != nil {
		return nil, fmt.Errorf("read stream %s: %s", stream, made.Error.Description)
	}
	var got []*nats.Msg
	for want := made.NumPending + made.Delivered.Consumer; uint64(len(got)) < want; {
		m, err := sub.NextMsgWithContext(ctx)
		if err != nil {
			return nil, fmt.Errorf("read stream %s: %w", stream, err)
		}
		got = append(got, m)
		if meta, err := m.Metadata(); err == nil && meta.NumPending == 0 {
			break
		}
	}
	return got, nil
}

// flush makes sure that the server knows a subscription, and has not refused it.
func (c *Client) flush(ctx context.Context, sub *nats.Subscription) error {
	limited, cancel := context.WithTimeout(ctx, flushTimeout)
	defer cancel()
	err := c.nc.FlushWithContext(limited)
	if err == nil {
		err = denied(c.nc, `Subscription to "`+sub.Subject+`"`)
	}
	if err != nil {
		drop(sub)
	}
	return err
}

// drop ends a subscription; one of a closed connection has ended.
func drop(sub *nats.Subscription) { _ = sub.Unsubscribe() }

// goWork runs f as work that Close waits for, unless the client is closed.
func (c *Client) goWork(f func()) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return false
	}
	c.work.Go(f)
	return true
}
