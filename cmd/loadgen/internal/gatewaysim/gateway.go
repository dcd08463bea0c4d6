// Package gatewaysim plays a gateway of wire protocol 1 in few lines: one connection, jobs out, tool calls
// answered from a table of Go functions, replies in. It is for load and demonstrations; a gateway that keeps
// what it has answered over a restart is package gateway.
package gatewaysim

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"codemode/protocol"
	"codemode/subjects"
)

// ErrConnect is returned by Start when the server cannot be reached or refuses the gateway.
var ErrConnect = errors.New("cannot reach the NATS server")

const (
	connectTimeout = 5 * time.Second
	// callBytesMargin is the part of the payload limit that a result may not use (protocol 4).
	callBytesMargin = 8 << 10
)

// Handler answers a call: with the value the helper in the cell resolves with, or with the error it rejects with.
// ctx ends when the gateway closes.
type Handler func(ctx context.Context, call protocol.Call) (any, error)

// Tool is one entry of the catalogue and how it is answered. One with neither Latency nor Accept is answered
// by the goroutine that receives the calls of all runs, so its Handler must not block.
type Tool struct {
	protocol.Tool
	Handler Handler
	// Latency passes before Handler is called.
	Latency time.Duration
	// Accept takes the call at once and stores the result when it is there; without it the answer goes to
	// the call's inbox (protocol 4).
	Accept bool
}

// Options of a Gateway. URL is required.
type Options struct {
	URL string
	// Tenant to play as; answers come below _INBOX.<tenant>. Defaults to "default".
	Tenant string
	Names  subjects.Names
	// Tools are the catalogue of every run.
	Tools []Tool
	// Logger takes what was dropped and why. Defaults to none.
	Logger *slog.Logger
}

// Gateway is a running gateway. Its methods may be called from many goroutines.
type Gateway struct {
	opt     Options
	nc      *nats.Conn
	js      jetstream.JetStream
	tools   map[string]Tool // by name
	catalog json.RawMessage // nil where there are no tools
	ctx     context.Context // of handlers
	cancel  context.CancelFunc
	work    sync.WaitGroup // calls that are worked on
	closed  chan struct{}  // by the connection, after its last callback

	mu      sync.Mutex
	runs    map[string]*Run
	lookNow chan struct{} // closed, and made anew, when the connection is back
}

// Start connects and subscribes; jobs may be sent as soon as it returns. The first connect is tried once, a
// lost connection is tried again until Close.
func Start(ctx context.Context, opt Options) (*Gateway, error) {
	if opt.Tenant == "" {
		opt.Tenant = "default"
	}
	if opt.Logger == nil {
		opt.Logger = slog.New(slog.DiscardHandler)
	}
	g := &Gateway{
		opt: opt, tools: map[string]Tool{}, closed: make(chan struct{}),
		runs: map[string]*Run{}, lookNow: make(chan struct{}),
	}
	if err := g.makeCatalog(); err != nil {
		return nil, fmt.Errorf("make catalogue: %w", err)
	}
	g.ctx, g.cancel = context.WithCancel(context.Background())
	if err := g.connect(ctx); err != nil {
		g.cancel()
		return nil, fmt.Errorf("%w at %s: %w", ErrConnect, redact(opt.URL), err)
	}
	return g, nil
}

func (g *Gateway) makeCatalog() error {
	if len(g.opt.Tools) == 0 {
		return nil
	}
	var cat protocol.Catalog
	for _, t := range g.opt.Tools {
		if _, twice := g.tools[t.Name]; twice || t.Name == "" || t.Handler == nil {
			return fmt.Errorf("tool %q has no name or no handler, or is there twice", t.Name)
		}
		g.tools[t.Name] = t
		cat.Tools = append(cat.Tools, t.Tool)
	}
	var err error
	g.catalog, err = protocol.Marshal(cat)
	return err
}

func (g *Gateway) connect(ctx context.Context) error {
	var err error
	g.nc, err = nats.Connect(g.opt.URL,
		nats.Name("codemode-loadgen"), nats.Timeout(connectTimeout), nats.CustomInboxPrefix("_INBOX."+g.opt.Tenant),
		nats.MaxReconnects(-1), nats.ReconnectWait(100*time.Millisecond), nats.ReconnectJitter(100*time.Millisecond, time.Second),
		nats.ReconnectHandler(func(*nats.Conn) { g.lookAgain() }),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { g.opt.Logger.Warn("NATS", "error", err) }),
		nats.ClosedHandler(func(*nats.Conn) { close(g.closed) }))
	if err != nil {
		return err
	}
	if g.js, err = jetstream.New(g.nc); err == nil {
		err = g.subscribe(ctx)
	}
	if err != nil {
		g.nc.Close()
		<-g.closed
	}
	return err
}

// subscribe listens for all runs of the tenant at once: a subscription for each run would cost the server
// more than the run does (protocol 2).
func (g *Gateway) subscribe(ctx context.Context) error {
	for _, s := range []struct {
		filter string
		take   nats.MsgHandler
	}{
		{g.opt.Names.CallFilter(g.opt.Tenant, subjects.Any), g.onCall},
		{g.opt.Names.ReplyFilter(g.opt.Tenant, subjects.Any), g.onReply},
	} {
		sub, err := g.nc.Subscribe(s.filter, s.take)
		if err != nil {
			return fmt.Errorf("subscribe to %s: %w", s.filter, err)
		}
		// A burst waits in memory; what the client would drop, nobody sends again in the same leg.
		if err := sub.SetPendingLimits(-1, -1); err != nil {
			return fmt.Errorf("subscribe to %s: %w", s.filter, err)
		}
	}
	// The server must know the subscriptions before the first job is out.
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	if err := g.nc.FlushWithContext(ctx); err != nil {
		return fmt.Errorf("flush subscriptions: %w", err)
	}
	return g.nc.LastError() // a subscription that is not permitted
}

// Close ends the calls that are worked on and the connection, and returns when both have ended.
func (g *Gateway) Close() {
	g.cancel()
	g.nc.Close()
	<-g.closed
	g.work.Wait()
}

// Conn is the gateway's connection, for questions that have nothing to do with runs.
func (g *Gateway) Conn() *nats.Conn { return g.nc }

// JetStream is the gateway's own, on its connection.
func (g *Gateway) JetStream() jetstream.JetStream { return g.js }

// lookAgain tells all that wait for a reply that some may have been missed.
func (g *Gateway) lookAgain() {
	g.mu.Lock()
	defer g.mu.Unlock()
	close(g.lookNow)
	g.lookNow = make(chan struct{})
}

func (g *Gateway) missed() <-chan struct{} {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.lookNow
}

// run finds the run a message is of. Those of other gateways of the tenant are nil.
func (g *Gateway) run(runID string) *Run {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.runs[runID]
}

// address gives the run id and the last token of a subject the gateway is subscribed to.
func address(subject string) (runID, last string) {
	head, last := cutLast(subject)
	head, _ = cutLast(head) // call or reply
	_, runID = cutLast(head)
	return runID, last
}

func cutLast(s string) (head, last string) {
	i := strings.LastIndexByte(s, '.')
	if i < 0 {
		return "", s
	}
	return s[:i], s[i+1:]
}

// redact takes user and password out of addresses.
func redact(urls string) string {
	parts := strings.Split(urls, ",")
	for i, p := range parts {
		scheme, rest, ok := strings.Cut(p, "://")
		if !ok {
			scheme, rest = "", p
		}
		if at := strings.LastIndexByte(rest, '@'); at >= 0 {
			rest = rest[at+1:]
		}
		if parts[i] = rest; ok {
			parts[i] = scheme + "://" + rest
		}
	}
	return strings.Join(parts, ",")
}
