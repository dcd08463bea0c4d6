package subjects_test

import (
	"errors"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"codemode/internal/natstest"
	"codemode/subjects"
)

// The tests here pin what DESIGN.md says of the server, since other packages build on it.

func TestFactRepublishedResultCarriesItsPlaceInTheStream(t *testing.T) {
	t.Parallel()
	nc, ctx := natstest.Connect(t, natstest.Server(t)), within(t, time.Minute)
	js := jetStream(t, nc)
	if err := subjects.Ensure(ctx, js, subjects.Options{}); err != nil {
		t.Fatal(err)
	}
	n := names(t, "")
	live, err := nc.SubscribeSync(n.LiveAll())
	if err != nil {
		t.Fatal(err)
	}
	// A reply is stored, but not republished.
	if _, err := js.Publish(ctx, n.Reply(tenant, runID, jobID), []byte("reply")); err != nil {
		t.Fatal(err)
	}
	msg := nats.NewMsg(n.Result(tenant, runID, callID))
	msg.Data = []byte("result")
	msg.Header.Set("traceparent", "00-1-2-01")
	ack, err := js.PublishMsg(ctx, msg)
	if err != nil {
		t.Fatal(err)
	}
	got, err := live.NextMsgWithContext(ctx)
	if err != nil {
		t.Fatal(err)
	}
	runs, err := js.Stream(ctx, subjects.StreamRuns)
	if err != nil {
		t.Fatal(err)
	}
	stored, err := runs.GetLastMsgForSubject(ctx, msg.Subject)
	if err != nil {
		t.Fatal(err)
	}
	if string(got.Data) != "result" || got.Subject != n.Live(tenant, runID, callID) || ack.Sequence != 2 || stored.Sequence != 2 {
		t.Errorf("republished %q on %s as %d, stored as %d", got.Data, got.Subject, ack.Sequence, stored.Sequence)
	}
	for header, want := range map[string]string{
		"Nats-Sequence":   "2",
		"Nats-Subject":    msg.Subject,
		"Nats-Stream":     subjects.StreamRuns,
		"Nats-Time-Stamp": stored.Time.Format(time.RFC3339Nano),
		"traceparent":     "00-1-2-01",
	} {
		if h := got.Header.Get(header); h != want {
			t.Errorf("header %s is %q, want %q", header, h, want)
		}
	}
}

func TestFactFirstResultAndReplyCount(t *testing.T) {
	t.Parallel()
	js, ctx := jetStream(t, natstest.Connect(t, natstest.Server(t))), within(t, time.Minute)
	if err := subjects.Ensure(ctx, js, subjects.Options{}); err != nil {
		t.Fatal(err)
	}
	n := names(t, "")
	for _, subject := range []string{n.Result(tenant, runID, callID), n.Reply(tenant, runID, jobID)} {
		if _, err := js.Publish(ctx, subject, []byte("first"), jetstream.WithMsgID("id"+subject)); err != nil {
			t.Fatal(err)
		}
		_, err := js.Publish(ctx, subject, []byte("second"))
		wantRefused(t, err, "maximum messages per subject exceeded")

		// The same message id within the window is the same message: an ack, no error.
		ack, err := js.Publish(ctx, subject, []byte("first"), jetstream.WithMsgID("id"+subject))
		if err != nil || !ack.Duplicate {
			t.Errorf("the same message id again: %+v, %v", ack, err)
		}
		runs, err := js.Stream(ctx, subjects.StreamRuns)
		if err != nil {
			t.Fatal(err)
		}
		if stored, err := runs.GetLastMsgForSubject(ctx, subject); err != nil || string(stored.Data) != "first" {
			t.Errorf("stored: %+v, %v", stored, err)
		}
		// Once purged the subject is free again, for another message id.
		if err := runs.Purge(ctx, jetstream.WithPurgeSubject(subject)); err != nil {
			t.Fatal(err)
		}
		if _, err := js.Publish(ctx, subject, []byte("third"), jetstream.WithMsgID("new"+subject)); err != nil {
			t.Errorf("after a purge: %v", err)
		}
	}
}

func wantRefused(t *testing.T, err error, description string) {
	t.Helper()
	var api *jetstream.APIError
	if !errors.As(err, &api) || api.Code != 503 || api.ErrorCode != 10077 || api.Description != description {
		t.Errorf("got %v, want 503, 10077 %q", err, description)
	}
}

func TestFactExpiryMarkerOfARecord(t *testing.T) {
	t.Parallel()
	js, ctx := jetStream(t, natstest.Connect(t, natstest.Server(t))), within(t, time.Minute)
	if err := subjects.Ensure(ctx, js, subjects.Options{}); err != nil {
		t.Fatal(err)
	}
	n := names(t, "")
	record := subjects.KeySubject(subjects.BucketSnapshots, n.SnapshotKey(tenant, runID))
	other := subjects.KeySubject(subjects.BucketSnapshots, n.SessionIndexKey(tenant, session, runID))
	for _, subject := range []string{other, record} {
		if _, err := js.Publish(ctx, subject, []byte("value"), jetstream.WithMsgTTL(time.Second)); err != nil {
			t.Fatal(err)
		}
	}
	expiry, err := js.Consumer(ctx, subjects.BucketStream(subjects.BucketSnapshots), subjects.ConsumerExpiry)
	if err != nil {
		t.Fatal(err)
	}
	put, err := expiry.Next(jetstream.FetchContext(ctx))
	if err != nil {
		t.Fatal(err)
	}
	if put.Subject() != record || len(put.Data()) != 0 || put.Headers().Get("Nats-Msg-Size") != "5" {
		t.Errorf("the write is seen as %s %q %v", put.Subject(), put.Data(), put.Headers())
	}
	marker, err := expiry.Next(jetstream.FetchContext(ctx))
	if err != nil {
		t.Fatal(err)
	}
	if marker.Subject() != record || marker.Headers().Get("Nats-Marker-Reason") != "MaxAge" || marker.Headers().Get("Nats-TTL") != "1h0m0s" {
		t.Errorf("the expiry is seen as %s %v", marker.Subject(), marker.Headers())
	}
}
