package worker

import (
	"context"
	"errors"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"codemode/protocol"
)

const (
	// pullWait is how long one pull request stands at the server.
	pullWait = 30 * time.Second
	// pullBackoff is the pause after a pull that failed, so that a server that is away is not hammered.
	pullBackoff = 200 * time.Millisecond
)

// intake takes jobs of one kind. It asks for as many as it has free slots, never more: a job in a
// client's buffer is a job no other worker can take.
func (w *Worker) intake(ctx context.Context, kind protocol.JobKind, cons jetstream.Consumer, slots int) {
	free := make(chan struct{}, slots)
	for range slots {
		free <- struct{}{}
	}
	release := func() { free <- struct{}{} }
	for {
		n := 0
		select {
		case <-free:
			n = 1
		case <-ctx.Done():
			return
		}
		for more := true; more && n < slots; {
			select {
			case <-free:
				n++
			default:
				more = false
			}
		}
		if !w.pull(ctx, kind, cons, n, release) {
			select {
			case <-time.After(pullBackoff):
			case <-ctx.Done():
			}
		}
	}
}

// pull takes up to n jobs, each of which gives its slot back when it is done, and reports whether the
// pull worked.
func (w *Worker) pull(ctx context.Context, kind protocol.JobKind, cons jetstream.Consumer, n int, release func()) bool {
	wait, cancel := context.WithTimeout(ctx, pullWait)
	defer cancel()
	batch, err := cons.Fetch(n, jetstream.FetchContext(wait))
	if err == nil {
		for msg := range batch.Messages() {
			n--
			if ctx.Err() != nil {
				w.giveBack(msg)
				release()
				continue
			}
			w.running.Go(func() {
				defer release()
				w.handle(kind, msg)
			})
		}
		err = batch.Error()
	}
	for range n {
		release()
	}
	if err == nil || ctx.Err() != nil || errors.Is(err, nats.ErrTimeout) || errors.Is(err, context.DeadlineExceeded) {
		return true
	}
	w.log.Warn("pull failed, trying again", "kind", kind, "error", err)
	w.metrics.dropped(ctx, "pull_failed")
	return false
}

// giveBack lets another worker have a job that was not started.
func (w *Worker) giveBack(msg jetstream.Msg) {
	if err := msg.Nak(); err != nil {
		w.log.Warn("job could not be handed back, it is delivered again after the ack wait", "error", err)
	}
}

// keepAlive tells the server that a job is still worked on, until the returned function is called.
func (w *Worker) keepAlive(msg jetstream.Msg) (stop func()) {
	done := make(chan struct{})
	w.running.Go(func() {
		beat := time.NewTicker(w.opt.Subjects.AckWait * 3 / 10)
		defer beat.Stop()
		for {
			select {
			case <-done:
				return
			case <-beat.C:
				if err := msg.InProgress(); err != nil {
					w.log.Warn("job could not be kept", "error", err)
				}
			}
		}
	})
	return func() { close(done) }
}
