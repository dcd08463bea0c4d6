package kvsnapshots

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"go.uber.org/goleak"

	"codemode/internal/natstest"
	"codemode/subjects"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func openStore(t *testing.T) (*Store, *nats.Conn) {
	t.Helper()
	nc := natstest.Connect(t, natstest.Server(t))
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	if err := subjects.Ensure(t.Context(), js, subjects.Options{}); err != nil {
		t.Fatal(err)
	}
	s, err := Open(t.Context(), js, subjects.Names{})
	if err != nil {
		t.Fatal(err)
	}
	return s, nc
}

// TestRevisions: a record is written only over the revision that was read, and a deleted or missing one
// is not found.
func TestRevisions(t *testing.T) {
	t.Parallel()
	s, _ := openStore(t)
	ctx := t.Context()
	rec := sampleRecord()
	if _, _, err := s.Get(ctx, rec.Tenant, rec.RunID); !errors.Is(err, ErrNotFound) {
		t.Fatalf("got %v for a run that never parked, want ErrNotFound", err)
	}
	first, err := s.Put(ctx, rec, 0, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Put(ctx, rec, 0, time.Minute); !errors.Is(err, ErrConflict) {
		t.Errorf("got %v for a second first record, want ErrConflict", err)
	}
	second, err := s.Put(ctx, rec, first, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Put(ctx, rec, first, time.Minute); !errors.Is(err, ErrConflict) {
		t.Errorf("got %v for an old revision, want ErrConflict", err)
	}
	got, rev, err := s.Get(ctx, rec.Tenant, rec.RunID)
	if err != nil || rev != second || got.Code != rec.Code {
		t.Errorf("got revision %d, %v; want %d", rev, err, second)
	}
	if err := s.Delete(ctx, rec.Tenant, rec.RunID, first); !errors.Is(err, ErrConflict) {
		t.Errorf("got %v for a delete of an old revision, want ErrConflict", err)
	}
	if err := s.Delete(ctx, rec.Tenant, rec.RunID, second); err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.Get(ctx, rec.Tenant, rec.RunID); !errors.Is(err, ErrNotFound) {
		t.Errorf("got %v for a deleted record, want ErrNotFound", err)
	}
}

// TestOneClaimWins: of many legs that write on the same revision exactly one succeeds.
func TestOneClaimWins(t *testing.T) {
	t.Parallel()
	s, _ := openStore(t)
	rev, err := s.Put(t.Context(), sampleRecord(), 0, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	errs := make([]error, 16)
	for i := range errs {
		wg.Go(func() {
			rec := sampleRecord()
			rec.Claim = &Claim{JobID: fmt.Sprint(i)}
			_, errs[i] = s.Put(context.Background(), rec, rev, time.Minute)
		})
	}
	wg.Wait()
	won := 0
	for _, err := range errs {
		switch {
		case err == nil:
			won++
		case !errors.Is(err, ErrConflict):
			t.Errorf("got %v, want ErrConflict", err)
		}
	}
	if won != 1 {
		t.Errorf("%d writers won, want 1", won)
	}
}

// TestExpiry: each write gives the record a life of its own; the server ends it without any worker.
func TestExpiry(t *testing.T) {
	t.Parallel()
	s, _ := openStore(t)
	rec := sampleRecord()
	watch, err := s.kv.Watch(t.Context(), s.names.SnapshotKey(rec.Tenant, rec.RunID), jetstream.UpdatesOnly())
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := watch.Stop(); err != nil {
			t.Error(err)
		}
	}()
	rev, err := s.Put(t.Context(), rec, 0, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Put(t.Context(), rec, rev, time.Second); err != nil {
		t.Fatal(err)
	}
	timeout := time.After(20 * time.Second)
	for {
		select {
		case entry := <-watch.Updates():
			if entry == nil || entry.Operation() == jetstream.KeyValuePut {
				continue
			}
			if _, _, err := s.Get(t.Context(), rec.Tenant, rec.RunID); !errors.Is(err, ErrNotFound) {
				t.Errorf("got %v for an expired record, want ErrNotFound", err)
			}
			return
		case <-timeout:
			t.Fatal("the record did not expire")
		}
	}
}

func TestTooLarge(t *testing.T) {
	t.Parallel()
	s, nc := openStore(t)
	rec := sampleRecord()
	rec.State = []byte(strings.Repeat("x", int(nc.MaxPayload())+1))
	if _, err := s.Put(t.Context(), rec, 0, time.Minute); !errors.Is(err, ErrTooLarge) {
		t.Errorf("got %v, want ErrTooLarge", err)
	}
	if _, _, err := s.Get(t.Context(), rec.Tenant, rec.RunID); !errors.Is(err, ErrNotFound) {
		t.Errorf("got %v, want that nothing was stored", err)
	}
}

// TestSessionIndex: the runs of a session are listed until they are taken back; other sessions and the
// nameless one are apart (contract 12.3).
func TestSessionIndex(t *testing.T) {
	t.Parallel()
	s, _ := openStore(t)
	ctx := t.Context()
	list := func(session string) []string {
		runs, err := s.Suspended(ctx, "t", session)
		if err != nil {
			t.Fatal(err)
		}
		slices.Sort(runs)
		return runs
	}
	for _, session := range []string{"s1", "agent:main:odd key", ""} {
		if got := list(session); len(got) != 0 {
			t.Errorf("session %q begins with %v", session, got)
		}
		for _, run := range []string{"cm_aaaaaaaaaaaaaaaa", "cm_bbbbbbbbbbbbbbbb"} {
			if err := s.Index(ctx, "t", session, run, time.Minute); err != nil {
				t.Fatal(err)
			}
		}
		if got := list(session); !slices.Equal(got, []string{"cm_aaaaaaaaaaaaaaaa", "cm_bbbbbbbbbbbbbbbb"}) {
			t.Errorf("session %q: got %v", session, got)
		}
		if err := s.Unindex(ctx, "t", session, "cm_aaaaaaaaaaaaaaaa"); err != nil {
			t.Fatal(err)
		}
		if got := list(session); !slices.Equal(got, []string{"cm_bbbbbbbbbbbbbbbb"}) {
			t.Errorf("session %q: got %v after one was taken back", session, got)
		}
	}
}

// TestEndedRunsLeaveNoIndex: a session in which more runs were suspended and ended than one batch holds
// can still be listed.
func TestEndedRunsLeaveNoIndex(t *testing.T) {
	t.Parallel()
	s, _ := openStore(t)
	ctx := t.Context()
	for i := range 1100 {
		run := fmt.Sprintf("cm_%016d", i)
		if err := s.Index(ctx, "t", "s", run, time.Minute); err != nil {
			t.Fatal(err)
		}
		if err := s.Unindex(ctx, "t", "s", run); err != nil {
			t.Fatal(err)
		}
	}
	if runs, err := s.Suspended(ctx, "t", "s"); err != nil || len(runs) != 0 {
		t.Errorf("got %v, %v; want none", runs, err)
	}
	for i := range 1100 {
		if err := s.Index(ctx, "t", "s", fmt.Sprintf("cm_%016d", i), time.Minute); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.Suspended(ctx, "t", "s"); !errors.Is(err, ErrTooMany) {
		t.Errorf("got %v, want ErrTooMany", err)
	}
}

// TestAbortMarks: a mark concerns jobs that were stored before it, of its run or session alone (protocol 7).
func TestAbortMarks(t *testing.T) {
	t.Parallel()
	s, _ := openStore(t)
	ctx := t.Context()
	const run, session = "cm_aaaaaaaaaaaaaaaa", "agent:main"
	before := time.Now().Add(-time.Second)
	ask := func(runID, sessionID string, stored time.Time) bool {
		aborted, err := s.AbortedSince(ctx, "t", runID, sessionID, stored)
		if err != nil {
			t.Fatal(err)
		}
		return aborted
	}
	if ask(run, session, before) {
		t.Error("aborted without a mark")
	}
	if err := s.MarkAborted(ctx, "t", run); err != nil {
		t.Fatal(err)
	}
	after := time.Now().Add(time.Second)
	if !ask(run, "", before) || ask(run, "", after) || ask("cm_other", "", before) {
		t.Error("a run's mark concerns the jobs of that run that were stored before it")
	}
	if err := s.MarkAborted(ctx, "t", "h_"+strings.Repeat("0", 32)); err != nil {
		t.Fatal(err)
	}
	if ask("cm_other", session, before) {
		t.Error("the mark of another session was taken for this one")
	}
}
