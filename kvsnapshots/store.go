package kvsnapshots

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"
	"github.com/synadia-io/orbit.go/jetstreamext"

	"codemode/internal/jetpub"
	"codemode/protocol"
	"codemode/subjects"
)

var (
	// ErrNotFound is returned where there is no record: never parked, ended, aborted or expired.
	ErrNotFound = errors.New("no record of this run")
	// ErrConflict is returned by a write whose revision is not the last one: another leg has written.
	ErrConflict = jetpub.ErrConflict
	// ErrTooLarge is returned for a record that does not fit one message.
	ErrTooLarge = jetpub.ErrTooLarge
	// ErrNoTTL is returned where the bucket cannot give a record an expiry (contract 12.2).
	ErrNoTTL = jetpub.ErrNoTTL
)

const (
	// markTTL is how long an abort mark is kept (protocol 7).
	markTTL = 24 * time.Hour
	// tombTTL is how long the marker of a deleted record stays: while it does, a worker that was cut off
	// cannot create the record of an ended run anew.
	tombTTL = 5 * time.Minute
	// indexMargin is how much longer than its record an index key lives.
	indexMargin = time.Minute

	opHeader = "KV-Operation"
)

// Store reads and writes records. It is safe for use by many goroutines.
type Store struct {
	js    jetstream.JetStream
	names subjects.Names
	kv    jetstream.KeyValue
	// stream is the one below kv: for reads from its leader and for removing keys without a marker.
	stream jetstream.Stream
}

// Open binds the bucket, which subjects.Ensure has made.
func Open(ctx context.Context, js jetstream.JetStream, names subjects.Names) (*Store, error) {
	kv, err := js.KeyValue(ctx, subjects.BucketSnapshots)
	if err != nil {
		return nil, fmt.Errorf("open bucket %s: %w", subjects.BucketSnapshots, err)
	}
	stream, err := js.Stream(ctx, subjects.BucketStream(subjects.BucketSnapshots))
	if err != nil {
		return nil, fmt.Errorf("open bucket %s: %w", subjects.BucketSnapshots, err)
	}
	return &Store{js: js, names: names, kv: kv, stream: stream}, nil
}

// Put writes the record if its last revision is rev, 0 for a run that has none, and gives the new one.
// The record expires after ttl. ErrConflict, ErrTooLarge and ErrNoTTL say why nothing was written.
func (s *Store) Put(ctx context.Context, r *Record, rev uint64, ttl time.Duration) (uint64, error) {
	data, err := r.Encode()
	if err != nil {
		return 0, err
	}
	return s.write(ctx, s.names.SnapshotKey(r.Tenant, r.RunID), data, ttl, jetstream.WithExpectLastSequencePerSubject(rev))
}

// write stores a value by a raw publish: the KV client's update would drop the key's expiry.
func (s *Store) write(ctx context.Context, key string, data []byte, ttl time.Duration, opts ...jetstream.PublishOpt) (uint64, error) {
	msg := nats.NewMsg(subjects.KeySubject(subjects.BucketSnapshots, key))
	msg.Data = data
	opts = append(opts, jetstream.WithMsgTTL(max(ttl, time.Second)), jetstream.WithMsgID(nuid.Next()))
	ack, err := jetpub.Publish(ctx, s.js, msg, opts...)
	if err != nil {
		return 0, err
	}
	return ack.Sequence, nil
}

// Get reads a record and its revision. ErrNotFound is said only after the stream's leader was asked: a
// replica may lag.
func (s *Store) Get(ctx context.Context, tenant, runID string) (*Record, uint64, error) {
	key := s.names.SnapshotKey(tenant, runID)
	entry, err := s.kv.Get(ctx, key)
	if errors.Is(err, jetstream.ErrKeyNotFound) || errors.Is(err, jetstream.ErrKeyDeleted) {
		return s.GetLeader(ctx, tenant, runID)
	}
	if err != nil {
		return nil, 0, fmt.Errorf("get run record: %w", err)
	}
	r, err := Decode(entry.Value())
	return r, entry.Revision(), err
}

// GetLeader is Get from the stream's leader alone, for a reader that has seen a conflict.
func (s *Store) GetLeader(ctx context.Context, tenant, runID string) (*Record, uint64, error) {
	msg, err := s.stream.GetLastMsgForSubject(ctx, subjects.KeySubject(subjects.BucketSnapshots, s.names.SnapshotKey(tenant, runID)))
	switch {
	case errors.Is(err, jetstream.ErrMsgNotFound):
		return nil, 0, ErrNotFound
	case err != nil:
		return nil, 0, fmt.Errorf("get run record: %w", err)
	case marker(msg.Header):
		return nil, 0, ErrNotFound
	}
	r, err := Decode(msg.Data)
	return r, msg.Sequence, err
}

// marker reports whether a message says that its key has no value: deleted, or expired.
func marker(h nats.Header) bool { return h.Get(opHeader) != "" || h.Get("Nats-Marker-Reason") != "" }

// Delete ends a record if its last revision is rev. A record that is gone is no error.
func (s *Store) Delete(ctx context.Context, tenant, runID string, rev uint64) error {
	err := s.kv.Purge(ctx, s.names.SnapshotKey(tenant, runID), jetstream.LastRevision(rev), jetstream.PurgeTTL(tombTTL))
	if errors.Is(err, jetstream.ErrKeyRevisionMismatch) {
		return ErrConflict
	}
	if err != nil {
		return fmt.Errorf("delete run record: %w", err)
	}
	return nil
}

// Index notes under its session that a run is suspended; the note expires a little after the record.
func (s *Store) Index(ctx context.Context, tenant, session, runID string, ttl time.Duration) error {
	_, err := s.write(ctx, s.names.SessionIndexKey(tenant, session, runID), nil, ttl+indexMargin)
	return err
}

// Unindex takes the note back. Nothing of it is left, not even a marker: the notes of a session are read as
// one batch, which a server answers only up to a number of messages.
func (s *Store) Unindex(ctx context.Context, tenant, session, runID string) error {
	key := s.names.SessionIndexKey(tenant, session, runID)
	err := s.stream.Purge(ctx, jetstream.WithPurgeSubject(subjects.KeySubject(subjects.BucketSnapshots, key)))
	if err != nil {
		return fmt.Errorf("delete session index: %w", err)
	}
	return nil
}

// ErrTooMany is returned by Suspended for a session with more runs than the server lists at once.
var ErrTooMany = errors.New("more than 1,024 suspended runs")

// Suspended lists the runs of a session that are noted as suspended, or says ErrTooMany. One whose record
// has just expired may still be among them.
func (s *Store) Suspended(ctx context.Context, tenant, session string) ([]string, error) {
	filter := subjects.KeySubject(subjects.BucketSnapshots, s.names.SessionIndexFilter(tenant, session))
	msgs, err := jetstreamext.GetLastMsgsFor(ctx, s.js, subjects.BucketStream(subjects.BucketSnapshots), []string{filter})
	if err != nil {
		return nil, fmt.Errorf("list suspended runs: %w", err)
	}
	var runs []string
	for msg, err := range msgs {
		switch {
		case errors.Is(err, jetstreamext.ErrNoMessages):
			return runs, nil
		case errors.Is(err, jetstreamext.ErrBatchUnsupported): // what the library makes of "413 Too Many Results"
			return nil, ErrTooMany
		case err != nil:
			return nil, fmt.Errorf("list suspended runs: %w", err)
		case !marker(msg.Header):
			runs = append(runs, lastToken(msg.Subject))
		}
	}
	return runs, nil
}

func lastToken(subject string) string {
	for i := len(subject) - 1; i >= 0; i-- {
		if subject[i] == '.' {
			return subject[i+1:]
		}
	}
	return subject
}

// MarkAborted notes that a run, or a session as protocol.SessionToken writes it, was aborted now: a job
// of it that was stored before runs nothing (protocol 7).
func (s *Store) MarkAborted(ctx context.Context, tenant, id string) error {
	_, err := s.write(ctx, s.names.AbortMarkKey(tenant, id), nil, markTTL)
	return err
}

// AbortedSince reports whether the run or its session, "" for none, was marked as aborted after a job
// that was stored at the given time.
func (s *Store) AbortedSince(ctx context.Context, tenant, runID, sessionID string, stored time.Time) (bool, error) {
	ids := []string{runID}
	if sessionID != "" {
		ids = append(ids, protocol.SessionToken(sessionID))
	}
	for i, id := range ids {
		ids[i] = subjects.KeySubject(subjects.BucketSnapshots, s.names.AbortMarkKey(tenant, id))
	}
	msgs, err := jetstreamext.GetLastMsgsFor(ctx, s.js, subjects.BucketStream(subjects.BucketSnapshots), ids)
	if err != nil {
		return false, fmt.Errorf("read abort marks: %w", err)
	}
	for msg, err := range msgs {
		if errors.Is(err, jetstreamext.ErrNoMessages) {
			break
		}
		if err != nil {
			return false, fmt.Errorf("read abort marks: %w", err)
		}
		if !marker(msg.Header) && msg.Time.After(stored) {
			return true, nil
		}
	}
	return false, nil
}
