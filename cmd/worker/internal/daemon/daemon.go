// Package daemon is the life of a worker process: what is started in which order, what is said when that
// fails, and what is stopped in which order.
package daemon

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/nats-io/nats.go"

	"codemode/cmd/worker/internal/config"
	"codemode/internal/natsembed"
	"codemode/otel"
	"codemode/vm"
	"codemode/worker"
)

// Options of Run.
type Options struct {
	Config  config.Config
	Version string
	Log     *slog.Logger
	// Terminal is where a person is told how to reach an embedded server; nil where nobody looks.
	Terminal io.Writer
}

// How long the last steps may take. They wait for nothing that is slow when all is well.
const (
	drainTimeout = 5 * time.Second
	flushTimeout = 5 * time.Second
)

// daemon holds what is started, nil where it is not.
type daemon struct {
	Options
	began    time.Time
	tel      *otel.Telemetry
	engine   *vm.Engine
	unlock   func() error // of the embedded server's store
	embedded *natsembed.Server
	identity []nats.Option // who the worker is for the server
	conn     *nats.Conn
	closed   chan struct{} // closed when conn is, for good
	worker   *worker.Worker
	http     *otel.Server
	stopHTTP context.CancelFunc
}

// Run starts a worker and returns when it has stopped: nil after ctx has ended, else why it could not
// start or go on, in words for the operator. Wrong configuration is config.Faults.
func Run(ctx context.Context, opts Options) error {
	d := &daemon{Options: opts, began: time.Now(), closed: make(chan struct{})}
	err := d.start(ctx)
	if err == nil {
		err = d.serve(ctx)
	}
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		err = nil // told to stop before it was ready
	}
	d.stop(err)
	return err
}

func (d *daemon) start(ctx context.Context) error {
	for _, step := range []func(context.Context) error{
		d.readIdentity, d.startTelemetry, d.startEngine, d.startEmbedded, d.connect, d.startWorker, d.startHTTP,
	} {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := step(ctx); err != nil {
			return err
		}
	}
	d.announce()
	return nil
}

func (d *daemon) startTelemetry(ctx context.Context) (err error) {
	d.tel, err = otel.Setup(ctx, otel.Options{Version: d.Version, Logger: d.Log})
	if err != nil { // the variables are the only thing it can fail for
		return config.Faults{err.Error()}
	}
	return nil
}

func (d *daemon) startEmbedded(context.Context) (err error) {
	if !d.Config.Embedded {
		return nil
	}
	if d.unlock, err = lockStore(d.Config.EmbeddedStore); err != nil {
		return embeddedFault(err, &d.Config)
	}
	d.embedded, err = natsembed.Start(natsembed.Options{
		Addr: string(d.Config.EmbeddedAddr), StoreDir: d.Config.EmbeddedStore, Logger: d.Log,
	})
	if err != nil {
		return embeddedFault(err, &d.Config)
	}
	return nil
}

func (d *daemon) startWorker(ctx context.Context) (err error) {
	c := &d.Config
	opts := worker.Options{
		Conn: d.conn, Engine: d.engine, ID: string(c.WorkerID), Version: d.Version,
		ExecSlots: c.ExecSlots, WaitSlots: c.WaitSlots, SuspendedPerSession: c.SuspendedPerSession,
		CatalogCacheBytes: int(c.CatalogCacheBytes), NoOutputEvents: !c.OutputEvents, Logger: d.Log,
	}
	opts.Diagnostics = worker.Diagnostics{
		Legs: c.DebugCodeMode, Transport: c.DebugTransport,
		Payload: worker.Payload(c.DebugPayload), Events: worker.EventLog(c.DebugEvents),
	}
	opts.Subjects.Names, opts.Subjects.Replicas, opts.Subjects.AckWait = c.Names(), c.Replicas, c.AckWait
	if d.worker, err = worker.New(opts); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, c.StartTimeout)
	defer cancel()
	if err := d.worker.Start(ctx); err != nil {
		return d.workerFault(err)
	}
	return d.checkPermissions(ctx)
}

func (d *daemon) startHTTP(context.Context) (err error) {
	if d.Config.HTTPAddr == config.Off {
		return nil
	}
	ctx, cancel := context.WithCancel(context.Background()) // it outlives the worker, to say that it drains
	d.stopHTTP = cancel
	d.http, err = otel.Serve(ctx, string(d.Config.HTTPAddr), d.tel.MetricsHandler(), d.worker.Ready)
	if err != nil {
		return fmt.Errorf("metrics and health cannot be served on %s (CODEMODE_HTTP_ADDR): %w", d.Config.HTTPAddr, systemError(err))
	}
	return nil
}

// announce tells logs, and a person at a terminal, that cells can come.
func (d *daemon) announce() {
	url, http := d.conn.ConnectedUrlRedacted(), config.Off
	if d.embedded != nil {
		url = d.embedded.URL()
	}
	if d.http != nil {
		http = d.http.Addr()
	}
	d.Log.Info("ready", "worker", d.Config.WorkerID, "url", url, "exec_slots", d.Config.ExecSlots, "wait_slots", d.Config.WaitSlots,
		"http", http, "took", time.Since(d.began).Round(time.Millisecond))
	if d.embedded != nil && d.Terminal != nil {
		fmt.Fprintf(d.Terminal, "codemode is ready. Gateways connect to %s; Ctrl-C stops it.\n", url)
	}
}

// serve waits until the process is told to stop or cannot go on.
func (d *daemon) serve(ctx context.Context) error {
	failed := make(chan error, 1)
	if d.http != nil {
		go func() { failed <- d.http.Wait() }() // ends when stop does
	}
	select {
	case <-ctx.Done():
		return nil
	case err := <-failed:
		return err
	case <-d.closed:
		return fmt.Errorf("the connection to NATS is closed for good: %w", cause(d.conn.LastError()))
	}
}

func cause(err error) error {
	if err == nil {
		return errors.New("the server gave no reason")
	}
	return err
}

// stop ends what was started in reverse order. That something does not end well is told, but nothing is
// lost by it: jobs without a reply are delivered again.
func (d *daemon) stop(failure error) {
	d.stopWorker(failure)
	d.disconnect()
	if d.embedded != nil {
		d.embedded.Shutdown()
	}
	if d.unlock != nil {
		d.told("store", d.unlock())
	}
	ctx, cancel := context.WithTimeout(context.Background(), flushTimeout)
	defer cancel()
	if d.http != nil {
		d.stopHTTP()
		d.told("HTTP", d.http.Wait())
	}
	if d.engine != nil {
		d.told("engine", d.engine.Close(ctx))
	}
	if d.tel != nil {
		d.told("telemetry", d.tel.Shutdown(ctx))
	}
}

func (d *daemon) told(what string, err error) {
	if err != nil {
		d.Log.Warn("did not stop well", "what", what, "error", err)
	}
}

func (d *daemon) stopWorker(failure error) {
	if d.worker == nil {
		return
	}
	grace := d.Config.ShutdownGrace
	if failure != nil { // most likely nothing can be stored any more
		grace = min(grace, time.Second)
	}
	ctx, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	d.told("worker", d.worker.Stop(ctx))
}

func (d *daemon) disconnect() {
	if d.conn == nil {
		return
	}
	if err := d.conn.Drain(); err != nil {
		d.conn.Close() // not connected: there is nothing to drain
	}
	<-d.closed
}
