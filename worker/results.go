package worker

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/synadia-io/orbit.go/jetstreamext"

	"codemode/kvsnapshots"
	"codemode/protocol"
	"codemode/subjects"
)

const (
	// Results that did not come by themselves are looked for after a pause that doubles within these
	// bounds: delivery to a subscription is at most once.
	minPoll = 50 * time.Millisecond
	maxPoll = 1500 * time.Millisecond
	// liveBuffer is more than can be pending at a time; what does not fit is found by the next look.
	liveBuffer = 512
)

// stored is a result as it stands in the stream.
type stored struct {
	data []byte
	seq  uint64
	at   time.Time
}

// results receives the stored results of a run: by a subscription to what the server publishes once it
// is stored, and by looking into the stream. Only the run's goroutine calls its methods, except tell.
type results struct {
	w        *Worker
	names    func(callID string) string
	ctx      context.Context // of the calls that are on their way
	cancel   context.CancelFunc
	sending  sync.WaitGroup
	sub      *nats.Subscription
	live     chan *nats.Msg
	accepted chan string
	got      map[string]stored
}

// listen begins to receive results, once. The subscription is at the server before anything that is sent
// afterwards on the same connection.
func (r *run) listen() error {
	if r.results != nil {
		return nil
	}
	q := &results{w: r.w, got: map[string]stored{}, live: make(chan *nats.Msg, liveBuffer), accepted: make(chan string, liveBuffer)}
	q.names = func(callID string) string { return r.w.names.Result(r.tenant, r.rec.RunID, callID) }
	q.ctx, q.cancel = context.WithCancel(r.ctx)
	var err error
	if q.sub, err = r.w.nc.ChanSubscribe(r.w.names.Live(r.tenant, r.rec.RunID, subjects.Any), q.live); err != nil {
		q.cancel()
		return fmt.Errorf("subscribe to results: %w", err)
	}
	r.results = q
	if r.kind == protocol.JobExec && r.attempt == 1 {
		return nil
	}
	// Results may be stored already. The order is what loses none: subscribe, flush, look.
	if err := r.w.nc.FlushWithContext(r.flushContext()); err != nil {
		return fmt.Errorf("flush subscription: %w", err)
	}
	return q.look(r.ctx, r.pendingIDs())
}

// flushContext gives a flush the limit it must have.
func (r *run) flushContext() context.Context {
	ctx, cancel := context.WithTimeout(r.ctx, 5*time.Second)
	context.AfterFunc(r.results.ctx, cancel)
	return ctx
}

func (r *run) pendingIDs() []string {
	var ids []string
	for _, p := range r.rec.Pending {
		if (p.Method.Remote() || p.Method == protocol.MethodSleep) && p.Rejected == "" && !r.results.has(p.CallID) {
			ids = append(ids, p.CallID)
		}
	}
	return ids
}

func (q *results) has(callID string) bool { _, ok := q.got[callID]; return ok }

// tell notes from another goroutine that a gateway has accepted a call.
func (q *results) tell(callID string) {
	select {
	case q.accepted <- callID:
	case <-q.ctx.Done():
	}
}

// look reads the results of the given calls from the stream, at most 1,024 at a time.
func (q *results) look(ctx context.Context, callIDs []string) error {
	const most = 512
	for len(callIDs) > 0 {
		n := min(most, len(callIDs))
		filters := make([]string, n)
		for i, id := range callIDs[:n] {
			filters[i] = q.names(id)
		}
		callIDs = callIDs[n:]
		if err := q.lookFor(ctx, filters); err != nil {
			return err
		}
	}
	return nil
}

func (q *results) lookFor(ctx context.Context, filters []string) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	msgs, err := jetstreamext.GetLastMsgsFor(ctx, q.w.js, subjects.StreamRuns, filters)
	if err != nil {
		return fmt.Errorf("look for results: %w", err)
	}
	for msg, err := range msgs {
		if errors.Is(err, jetstreamext.ErrNoMessages) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("look for results: %w", err)
		}
		if callID, ok := q.w.names.ParseResult(msg.Subject); ok {
			q.got[callID] = stored{data: msg.Data, seq: msg.Sequence, at: msg.Time}
		}
	}
	return nil
}

// collect takes what has come without waiting.
func (r *run) collect() {
	for {
		select {
		case msg := <-r.results.live:
			r.receive(msg)
		case id := <-r.results.accepted:
			r.accept(id)
		default:
			return
		}
	}
}

// receive takes a republished result. One without the server's headers was not published by the server,
// and one that no pending request waits for is dropped: where the call is made later, looking finds it.
func (r *run) receive(msg *nats.Msg) {
	q := r.results
	callID, ok := r.w.names.ParseLive(msg.Subject)
	seq, err := strconv.ParseUint(msg.Header.Get("Nats-Sequence"), 10, 64)
	at, err2 := time.Parse(time.RFC3339Nano, msg.Header.Get("Nats-Time-Stamp"))
	switch {
	case !ok || err != nil || err2 != nil:
		r.log.Warn("message on a live subject is no stored result", "subject", msg.Subject)
		r.w.metrics.dropped(r.ctx, "bad_live_message")
	case !slices.ContainsFunc(r.rec.Pending, func(p kvsnapshots.Pending) bool { return p.CallID == callID }):
		r.log.Warn("result of a call that is not pending", "callId", callID)
		r.w.metrics.dropped(r.ctx, "unknown_call")
	default:
		q.got[callID] = stored{data: msg.Data, seq: seq, at: at}
	}
}

// close ends the subscription and the calls that are on their way.
func (q *results) close() {
	q.cancel()
	if err := q.sub.Unsubscribe(); err != nil && !errors.Is(err, nats.ErrConnectionClosed) {
		q.w.log.Warn("subscription could not be ended", "error", err)
	}
	q.sending.Wait()
}
