package subjects_test

import (
	"context"
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
	firstCounts(ctx, t, js)
}

// firstCounts holds on one replica and on three.
func firstCounts(ctx context.Context, t *testing.T, js jetstream.JetStream) {
	t.Helper()
	n := names(t, "")
	runs, err := js.Stream(ctx, subjects.StreamRuns)
	if err != nil {
		t.Fatal(err)
	}
	for _, subject := range []string{n.Result(tenant, runID, callID), n.Reply(tenant, runID, jobID)} {
		id := jetstream.WithMsgID("id" + subject)
		if _, err := js.Publish(ctx, subject, []byte("first"), id); err != nil {
			t.Fatal(err)
		}
		_, err := js.Publish(ctx, subject, []byte("second"))
		wantRefused(t, err, "maximum messages per subject exceeded")

		// The same message id within the window is the same message: an ack, no error.
		if ack, err := js.Publish(ctx, subject, []byte("third"), id); err != nil || !ack.Duplicate {
			t.Errorf("the same message id again: %+v, %v", ack, err)
		}
		if n := stored(ctx, t, runs, subject); n != 1 {
			t.Errorf("%d messages are stored, want the first alone", n)
		}
		// A purge frees the subject, but not the message id.
		if err := runs.Purge(ctx, jetstream.WithPurgeSubject(subject)); err != nil {
			t.Fatal(err)
		}
		if ack, err := js.Publish(ctx, subject, []byte("fourth"), id); err != nil || !ack.Duplicate {
			t.Errorf("the same message id after a purge: %+v, %v", ack, err)
		}
		if n := stored(ctx, t, runs, subject); n != 0 {
			t.Errorf("%d messages are stored after a purge, want none", n)
		}
		if _, err := js.Publish(ctx, subject, []byte("fifth")); err != nil {
			t.Errorf("after a purge: %v", err)
		}
	}
}

// stored counts a subject's messages, by the leader: a direct get may be answered by a replica that lags.
func stored(ctx context.Context, t *testing.T, s jetstream.Stream, subject string) uint64 {
	t.Helper()
	info, err := s.Info(ctx, jetstream.WithSubjectFilter(subject))
	if err != nil {
		t.Fatal(err)
	}
	return info.State.Subjects[subject]
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
