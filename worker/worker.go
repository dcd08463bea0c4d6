// Package worker runs cells: it takes jobs from JetStream, drives each run's VM turn by turn, sends its
// nested calls to the gateway, parks it when it has to wait, and stores one reply for every job.
//
// It promises that no job is acknowledged before its reply is stored, that a parked run holds nothing in
// any worker, and that every write for a run is fenced by the revision of its record. DESIGN.md has the
// life of a run step by step.
package worker

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"codemode/kvsnapshots"
	"codemode/protocol"
	"codemode/subjects"
	"codemode/vm"
)

// Options of a Worker. Conn, Engine and ID are required.
type Options struct {
	Conn   *nats.Conn
	Engine *vm.Engine
	// Subjects says how streams, buckets and consumers are to be; its Names are used for everything.
	Subjects subjects.Options
	// ID is the worker's name in replies and events.
	ID string
	// Version is the program's version, told by the micro service. Defaults to "0.0.0".
	Version string
	// ExecSlots is how many exec legs run at a time, each with a VM. Defaults to DefaultExecSlots.
	ExecSlots int
	// WaitSlots is how many wait legs run at a time; one has a VM only once there is something to deliver.
	// Defaults to DefaultWaitSlots.
	WaitSlots int
	// SuspendedPerSession is the cap of contract 12.3. Defaults to DefaultSuspendedPerSession.
	SuspendedPerSession int
	// CatalogCacheBytes bounds the decoded catalogues that are kept. Defaults to DefaultCatalogCacheBytes.
	CatalogCacheBytes int
	// NoOutputEvents keeps what cells put out from the event stream (protocol 6).
	NoOutputEvents bool
	// Diagnostics say what of the work is logged besides faults. Defaults to nothing at info level.
	Diagnostics Diagnostics
	// Logger defaults to slog.Default().
	Logger *slog.Logger
}

// Defaults of Options.
const (
	DefaultExecSlots           = 64
	DefaultWaitSlots           = 256
	DefaultSuspendedPerSession = 64
	DefaultCatalogCacheBytes   = 256 << 20
)

func (o Options) withDefaults() Options {
	set := func(v *int, def int) {
		if *v <= 0 {
			*v = def
		}
	}
	set(&o.ExecSlots, DefaultExecSlots)
	set(&o.WaitSlots, DefaultWaitSlots)
	set(&o.SuspendedPerSession, DefaultSuspendedPerSession)
	set(&o.CatalogCacheBytes, DefaultCatalogCacheBytes)
	if o.Subjects.AckWait <= 0 {
		o.Subjects.AckWait = subjects.DefaultAckWait
	}
	if o.Version == "" {
		o.Version = "0.0.0"
	}
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	return o
}

// Worker is a started or stopped worker. Start and Stop may each be called more than once.
type Worker struct {
	opt      Options
	nc       *nats.Conn
	js       jetstream.JetStream
	names    subjects.Names
	log      *slog.Logger
	runs     jetstream.Stream // results and replies
	snaps    *kvsnapshots.Store
	catalogs *catalogs
	inbox    *inbox
	metrics  *metrics
	active   legs
	aborts   recentAborts

	startOnce, stopOnce sync.Once
	startErr            error
	started             atomic.Bool
	stopping            atomic.Bool   // no more jobs are taken
	draining            chan struct{} // closed when the server knows that, and legs that wait hand their jobs back
	stopPull            context.CancelFunc
	stopWork            context.CancelCauseFunc
	work                context.Context // of all legs
	pulls               sync.WaitGroup  // intake loops
	running             sync.WaitGroup  // legs
	stops               []func() error  // run in reverse order when the worker stops
}

// New makes a worker; Start sets it to work.
func New(opt Options) (*Worker, error) {
	if opt.Conn == nil || opt.Engine == nil || opt.ID == "" {
		return nil, errors.New("worker needs a connection, an engine and an id")
	}
	opt = opt.withDefaults()
	w := &Worker{
		opt: opt, nc: opt.Conn, names: opt.Subjects.Names,
		log:      opt.Logger.With("worker", opt.ID),
		draining: make(chan struct{}),
	}
	var err error
	w.js, err = jetstream.New(opt.Conn, jetstream.WithPublishAsyncErrHandler(func(_ jetstream.JetStream, msg *nats.Msg, err error) {
		w.eventFailed(msg, err)
	}))
	if err != nil {
		return nil, fmt.Errorf("use JetStream: %w", err)
	}
	w.active.byRun = map[runKey]map[*leg]struct{}{}
	w.work, w.stopWork = context.WithCancelCause(context.Background())
	if w.metrics, err = newMetrics(w); err != nil {
		return nil, fmt.Errorf("define metrics: %w", err)
	}
	return w, nil
}

// Start puts streams and buckets in place and begins to take jobs. ctx bounds the start alone.
func (w *Worker) Start(ctx context.Context) error {
	w.startOnce.Do(func() {
		if w.startErr = w.start(ctx); w.startErr != nil {
			w.cleanUp()
			return
		}
		w.started.Store(true)
	})
	return w.startErr
}

func (w *Worker) start(ctx context.Context) error {
	if err := subjects.Ensure(ctx, w.js, w.opt.Subjects); err != nil {
		return err
	}
	var err error
	if w.runs, err = w.js.Stream(ctx, subjects.StreamRuns); err != nil {
		return fmt.Errorf("bind stream %s: %w", subjects.StreamRuns, err)
	}
	if w.snaps, err = kvsnapshots.Open(ctx, w.js, w.names); err != nil {
		return err
	}
	if w.catalogs, err = newCatalogs(ctx, w.js, w.names, w.opt.CatalogCacheBytes); err != nil {
		return err
	}
	w.stops = append(w.stops, w.catalogs.close) // the last to be run: whoever decodes has ended by then
	if limit := w.nc.MaxPayload(); limit < protocol.EnvelopeBytes+10<<20 {
		w.log.Warn("the server's max_payload is smaller than the largest reply; cells that ask for more output are refused",
			"max_payload", limit, "wanted", protocol.EnvelopeBytes+10<<20)
	}
	var answers *nats.Subscription
	if w.inbox, answers, err = newInbox(w.nc); err != nil {
		return err
	}
	w.stops = append(w.stops, answers.Unsubscribe)
	if err := w.listenForAborts(); err != nil {
		return err
	}
	if err := w.startService(); err != nil {
		return err
	}
	if err := w.watchExpiry(ctx); err != nil {
		return err
	}
	pull, cancel := context.WithCancel(context.Background())
	w.stopPull = cancel
	for _, in := range []struct {
		kind     protocol.JobKind
		consumer string
		slots    int
	}{{protocol.JobExec, subjects.ConsumerExec, w.opt.ExecSlots}, {protocol.JobWait, subjects.ConsumerWait, w.opt.WaitSlots}} {
		cons, err := w.js.Consumer(ctx, subjects.StreamJobs, in.consumer)
		if err != nil {
			return fmt.Errorf("bind consumer %s: %w", in.consumer, err)
		}
		w.pulls.Go(func() { w.intake(pull, in.kind, cons, in.slots) })
	}
	return nil
}

// Ready reports why the worker cannot take jobs now, nil if it can.
func (w *Worker) Ready() error {
	if w.stopping.Load() {
		return errors.New("shutting down")
	}
	if !w.started.Load() {
		return errors.New("starting")
	}
	if !w.nc.IsConnected() {
		return fmt.Errorf("not connected to NATS: %s", w.nc.Status())
	}
	return nil
}

// Stop takes no more jobs, hands back those that only wait, and lets turns that run come to their end.
// When ctx ends first, what still runs is cut off: its jobs are delivered to another worker.
func (w *Worker) Stop(ctx context.Context) error {
	var err error
	w.stopOnce.Do(func() {
		w.stopping.Store(true)
		if w.stopPull != nil {
			w.stopPull()
		}
		w.pulls.Wait()
		// A pull that the server still has would be given the very jobs that are handed back now.
		if err := w.nc.FlushTimeout(time.Second); err != nil {
			w.log.Debug("the end of the pulls was not confirmed", "error", err)
		}
		close(w.draining)
		done := make(chan struct{})
		go func() { w.running.Wait(); close(done) }()
		select {
		case <-done:
		case <-ctx.Done():
			err = fmt.Errorf("legs were cut off: %w", context.Cause(ctx))
			w.stopWork(errCutOff)
			for _, l := range w.active.find(func(*leg) bool { return true }) {
				l.interrupt()
			}
			<-done
		}
		err = errors.Join(err, w.cleanUp())
	})
	return err
}

func (w *Worker) cleanUp() error {
	if w.stopPull != nil {
		w.stopPull()
	}
	w.pulls.Wait()
	if w.stopWork != nil {
		w.stopWork(errCutOff)
	}
	var errs []error
	for i := len(w.stops) - 1; i >= 0; i-- {
		if err := w.stops[i](); !errors.Is(err, nats.ErrConnectionClosed) { // what ended with the connection has ended
			errs = append(errs, err)
		}
	}
	w.stops = nil
	if !w.nc.IsClosed() {
		select {
		case <-w.js.PublishAsyncComplete():
		case <-time.After(time.Second):
			errs = append(errs, errors.New("events were not confirmed before the end"))
		}
	}
	return errors.Join(errs...)
}

var (
	// errCutOff ends legs whose worker cannot wait for them any longer; their jobs are delivered again.
	errCutOff = errors.New("worker was stopped")
	// errHandOver ends legs that only wait while their worker drains; their jobs are handed back.
	errHandOver = errors.New("worker is draining")
)
