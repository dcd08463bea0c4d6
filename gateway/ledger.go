package gateway

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"codemode/internal/jetpub"
	"codemode/protocol"
	"codemode/subjects"
)

// Guard says how the ledger treats a call. See Options.Guard.
type Guard uint8

// The guards.
const (
	// GuardNone keeps the call out of the ledger: after a crash it may be executed again.
	GuardNone Guard = iota
	// GuardOnce executes the call at most once; if its executor dies the cell gets OutcomeUnknown.
	GuardOnce
	// GuardReplay executes the call once at a time; if its executor dies it is executed again. For tools marked
	// replaySafe.
	GuardReplay
)

// EnsureLedger makes the bucket of the ledger, or checks the one that is there. A gateway whose user may not create
// streams has it made by the operator.
func EnsureLedger(ctx context.Context, nc *nats.Conn, opts subjects.Options) error {
	js, err := jetstream.New(nc)
	if err != nil {
		return fmt.Errorf("ensure call ledger: %w", err)
	}
	return subjects.EnsureCalls(ctx, js, opts)
}

const (
	claimAge = 25 * time.Hour // no run that could repeat the call lives longer
	// doneAge is for a worker that has lost its job and does not know yet. The result itself is in the stream.
	doneAge = time.Hour
	// deathDoubt is between the two looks that both have to miss an executor: a replica may lag.
	deathDoubt = 500 * time.Millisecond
	// retryAfter is when a claim that could not be judged is tried again.
	retryAfter = 250 * time.Millisecond
)

type state string

const (
	stateExecuting state = "executing"
	statePending   state = "pending" // a person decides, see Approval
	stateUnknown   state = "unknown"
	stateDone      state = "done"
)

// entry is the ledger's value of a call.
type entry struct {
	V        int       `json:"v"`
	State    state     `json:"state"`
	Executor string    `json:"executor,omitempty"`
	Claim    string    `json:"claim,omitempty"` // of the execution, so that a repeated publish knows its own
	ToolID   string    `json:"toolId,omitempty"`
	Input    string    `json:"inputSha256,omitempty"`
	At       time.Time `json:"at"`
	By       string    `json:"by,omitempty"`   // who decided
	Call     *Call     `json:"call,omitempty"` // GuardReplay: to execute it again

	rev uint64
}

// inputHash is the SHA-256 of the exact bytes of the input.
func inputHash(c *protocol.Call) string {
	input := c.Input
	if input == nil {
		input = c.Args
	}
	sum := sha256.Sum256(input)
	return hex.EncodeToString(sum[:])
}

// ledger is this process's access to the calls' bucket. Its lease is one key that expires when the process has died,
// so that a call costs one write however long it takes.
type ledger struct {
	c        *Client
	executor string

	mu      sync.Mutex
	opened  bool
	renewed time.Time
}

func newLedger(c *Client) *ledger { return &ledger{c: c, executor: rand.Text()} }

func (l *ledger) bucket() string { return subjects.BucketStream(subjects.BucketCalls) }

func (l *ledger) subject(runID, callID string) string {
	return subjects.KeySubject(subjects.BucketCalls, l.c.names.CallKey(l.c.opt.Tenant, runID, callID))
}

func (l *ledger) leaseOf(executor string) string {
	return subjects.KeySubject(subjects.BucketCalls, l.c.names.ExecutorKey(l.c.opt.Tenant, executor))
}

// open takes the lease, and renews it until the client is closed.
func (l *ledger) open(ctx context.Context) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.opened {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, flushTimeout)
	defer cancel()
	_, err := l.c.last(ctx, l.bucket(), l.leaseOf(l.executor))
	if errors.Is(err, nats.ErrNoResponders) {
		return fmt.Errorf("%w: bucket %s: %w", ErrNoLedger, subjects.BucketCalls, err)
	}
	if err == nil {
		err = l.renewLocked(ctx)
	}
	if err != nil {
		return fmt.Errorf("open call ledger: %w", err)
	}
	l.opened = true
	l.c.work.Go(l.keep)
	return nil
}

func (l *ledger) keep() {
	tick := time.NewTicker(l.c.opt.Lease / 3)
	defer tick.Stop()
	for {
		select {
		case <-l.c.ctx.Done():
			return
		case <-tick.C:
		}
		l.mu.Lock()
		if err := l.renewLocked(l.c.ctx); err != nil && l.c.ctx.Err() == nil {
			l.c.log.Error("lease of the call ledger could not be renewed", "error", err)
		}
		l.mu.Unlock()
	}
}

func (l *ledger) renewLocked(ctx context.Context) error {
	began := time.Now()
	_, err := l.c.publish(ctx, l.leaseOf(l.executor), []byte("{}"), jetstream.WithMsgTTL(l.c.opt.Lease))
	if err == nil {
		l.renewed = began
	}
	return err
}

// holds reports whether the lease is certain to be there. While it is not, nothing new is claimed.
func (l *ledger) holds() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return time.Since(l.renewed) < l.c.opt.Lease*9/10
}

// put writes an entry where the last one has the revision rev; 0 creates. ErrConflict tells that it is another.
func (l *ledger) put(ctx context.Context, runID, callID string, e entry, rev uint64, age time.Duration) (uint64, error) {
	e.V, e.At = 1, time.Now().UTC()
	data, err := protocol.Marshal(e)
	if err != nil {
		return 0, fmt.Errorf("encode ledger entry: %w", err)
	}
	ack, err := l.c.publish(ctx, l.subject(runID, callID), data, jetstream.WithExpectLastSequencePerSubject(rev), jetstream.WithMsgTTL(age))
	if err != nil {
		return 0, err
	}
	return ack.Sequence, nil
}

// get reads an entry, nil where there is none.
func (l *ledger) get(ctx context.Context, runID, callID string) (*entry, error) {
	msg, err := l.c.last(ctx, l.bucket(), l.subject(runID, callID))
	if err != nil || msg == nil {
		return nil, err
	}
	var e entry
	if err := json.Unmarshal(msg.Data, &e); err != nil {
		return nil, fmt.Errorf("%w: ledger entry of call %s: %w", ErrMalformed, callID, err)
	}
	if e.rev, err = strconv.ParseUint(msg.Header.Get(jetstream.SequenceHeader), 10, 64); err != nil {
		return nil, fmt.Errorf("%w: revision of ledger entry: %w", ErrMalformed, err)
	}
	return &e, nil
}

// dead reports whether an executor's lease has run out.
func (l *ledger) dead(ctx context.Context, executor string) (bool, error) {
	if executor == l.executor {
		return false, nil
	}
	for range 2 {
		msg, err := l.c.last(ctx, l.bucket(), l.leaseOf(executor))
		if err != nil || msg != nil {
			return false, err
		}
		select {
		case <-ctx.Done():
			return false, context.Cause(ctx)
		case <-time.After(deathDoubt):
		}
	}
	return true, nil
}

// markDone shortens the life of an entry whose result is stored. It is not waited for: who finds the entry as it was
// looks for the result first.
func (l *ledger) markDone(call *Call, rev uint64) {
	msg := nats.NewMsg(l.subject(call.RunID, call.CallID))
	data, err := protocol.Marshal(entry{V: 1, State: stateDone, Executor: l.executor, ToolID: call.ToolID, At: time.Now().UTC()})
	if err != nil {
		l.c.log.Error("encode ledger entry", "error", err)
		return
	}
	msg.Data = data
	if _, err := l.c.js.PublishMsgAsync(msg, jetstream.WithMsgTTL(doneAge), jetstream.WithExpectLastSequencePerSubject(rev)); err != nil {
		l.c.asyncFailed(l.c.js, msg, err)
	}
}

// storedResult reads the result of a call, nil where there is none.
func (l *ledger) storedResult(ctx context.Context, runID, callID string) ([]byte, error) {
	msg, err := l.c.last(ctx, subjects.StreamRuns, l.c.names.Result(l.c.opt.Tenant, runID, callID))
	if err != nil || msg == nil {
		return nil, err
	}
	return msg.Data, nil
}

// verdict is what to do about a call that has an entry.
type verdict uint8

const (
	ask     verdict = iota // look again: what was seen may be stale
	settled                // there is a result
	leave                  // somebody lives who will give it
	unknown                // nobody will
	again                  // execute it: the entry is ours now
)

// judge looks at a call that somebody has claimed, and takes it over where its executor is dead: with again if this
// process may execute it, else as unknown.
func (l *ledger) judge(ctx context.Context, runID, callID string, mayReplay bool) (verdict, *entry, []byte, error) {
	if result, err := l.storedResult(ctx, runID, callID); err != nil || result != nil {
		return settled, nil, result, err
	}
	e, err := l.get(ctx, runID, callID)
	if err != nil || e == nil {
		return ask, nil, nil, err
	}
	switch e.State {
	case statePending, stateDone: // done without a result: the run is over
		return leave, e, nil, nil
	case stateUnknown:
		return unknown, e, nil, nil
	}
	isDead, err := l.dead(ctx, e.Executor)
	if err != nil || !isDead {
		return leave, e, nil, err
	}
	// It may have stored the result as the last thing it did.
	if result, err := l.storedResult(ctx, runID, callID); err != nil || result != nil {
		return settled, e, result, err
	}
	next, v := *e, unknown
	next.State, next.Executor, next.Claim = stateUnknown, l.executor, rand.Text()
	if mayReplay && e.Call != nil {
		next.State, v = stateExecuting, again
	}
	if next.rev, err = l.put(ctx, runID, callID, next, e.rev, claimAge); err != nil {
		if errors.Is(err, jetpub.ErrConflict) {
			return ask, nil, nil, nil // another replica was faster
		}
		return ask, nil, nil, err
	}
	return v, &next, nil, nil
}
