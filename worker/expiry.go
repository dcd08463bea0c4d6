package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"codemode/internal/jetpub"
	"codemode/protocol"
	"codemode/subjects"
)

// expiryBatch is how many headers of records one worker holds at a time.
const expiryBatch = 64

// watchExpiry tells of parked runs that were not resumed in time. The store ends them without any worker
// (contract 12.2); the workers share one consumer that sees its markers (design 3).
func (w *Worker) watchExpiry(ctx context.Context) error {
	cons, err := w.js.Consumer(ctx, subjects.BucketStream(subjects.BucketSnapshots), subjects.ConsumerExpiry)
	if err != nil {
		return fmt.Errorf("bind consumer %s: %w", subjects.ConsumerExpiry, err)
	}
	events, err := w.js.Stream(ctx, subjects.StreamEvents)
	if err != nil {
		return fmt.Errorf("bind stream %s: %w", subjects.StreamEvents, err)
	}
	consuming, err := cons.Consume(func(msg jetstream.Msg) {
		if err := w.expiryOf(msg, events); err != nil {
			w.log.Warn("expiry of a run could not be told, trying again", "subject", msg.Subject(), "error", err)
			w.metrics.dropped(w.work, "expiry_not_told")
			return // it is delivered again
		}
		if err := msg.Ack(); err != nil {
			w.log.Warn("expiry could not be acknowledged, it is told again under the same message id", "error", err)
		}
	}, jetstream.PullMaxMessages(expiryBatch), jetstream.ConsumeErrHandler(func(_ jetstream.ConsumeContext, err error) {
		w.log.Debug("expiries are not seen for a moment", "error", err)
	}))
	if err != nil {
		return fmt.Errorf("consume expiries: %w", err)
	}
	w.stops = append(w.stops, func() error {
		consuming.Stop()
		<-consuming.Closed()
		return nil
	})
	return nil
}

// expiryOf publishes the expired event of a run if the message is the marker of its expiry.
func (w *Worker) expiryOf(msg jetstream.Msg, events jetstream.Stream) error {
	if msg.Headers().Get("Nats-Marker-Reason") != "MaxAge" {
		return nil
	}
	key, ok := subjects.ParseKeySubject(subjects.BucketSnapshots, msg.Subject())
	if !ok {
		return nil
	}
	tenant, runID, ok := w.names.ParseSnapshotKey(key)
	if !ok {
		return nil
	}
	ctx, cancel := context.WithTimeout(w.work, 5*time.Second)
	defer cancel()
	event := protocol.Event{V: protocol.Version, Tenant: tenant, RunID: runID, Kind: protocol.EventExpired, At: time.Now().UTC(), Worker: w.opt.ID, Seq: 1}
	last, err := events.GetLastMsgForSubject(ctx, w.names.EventFilter(tenant, runID))
	switch {
	case errors.Is(err, jetstream.ErrMsgNotFound): // its events were dropped by age or size
	case err != nil:
		return err
	default:
		var before protocol.Event
		if err := json.Unmarshal(last.Data, &before); err != nil {
			return fmt.Errorf("read last event: %w", err)
		}
		if before.Kind == protocol.EventExpired {
			return nil
		}
		event.Seq, event.Scope = before.Seq+1, before.Scope
	}
	data, err := protocol.Marshal(event)
	if err != nil {
		return err
	}
	out := nats.NewMsg(w.names.Event(tenant, runID, protocol.EventExpired))
	out.Data = data
	_, err = jetpub.Publish(ctx, w.js, out, jetstream.WithMsgID(tenant+"."+runID+".expired"))
	if err == nil {
		w.metrics.expired.Add(ctx, 1)
		w.purgeResults(ctx, tenant, runID)
	}
	return err
}
