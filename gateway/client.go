package gateway

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"codemode/internal/jetpub"
	"codemode/internal/natstrace"
	"codemode/protocol"
	"codemode/subjects"
)

// Defaults of Options.
const (
	DefaultQueueGroup   = "gateway"
	DefaultStartTimeout = 30 * time.Second
	DefaultConcurrency  = 256
	DefaultAcceptAfter  = 200 * time.Millisecond
	DefaultCallTimeout  = 15 * time.Minute
	DefaultGrace        = 5 * time.Second
	DefaultLease        = 15 * time.Second
)

const (
	// flushTimeout bounds the wait for a server that is connected.
	flushTimeout = 5 * time.Second
	// lookTimeout bounds one question to the server or the pool.
	lookTimeout = 2 * time.Second
	// deniedAfter is when a publish that got no answer is looked at for a missing right.
	deniedAfter = 500 * time.Millisecond
)

// Options of a Client. The zero value serves the tenant "default" without a ledger.
type Options struct {
	// Tenant is the last token of the subjects. Defaults to "default".
	Tenant string
	// Prefix of all subjects. Defaults to "cm".
	Prefix string
	// QueueGroup is shared by the replicas of a gateway: each call goes to one of them. Defaults to
	// DefaultQueueGroup.
	QueueGroup string

	// StartTimeout is how long a job may wait for a worker: one taken later is not run and replies with a failed
	// timeout (protocol 3 startBy). Defaults to DefaultStartTimeout.
	StartTimeout time.Duration

	// Concurrency is how many handlers run at a time; further calls wait. Defaults to DefaultConcurrency.
	Concurrency int
	// AcceptAfter is when a call that is not answered yet is accepted, so that its worker need not wait for the
	// answer in the inbox (protocol 4). Defaults to DefaultAcceptAfter.
	AcceptAfter time.Duration
	// CallTimeout ends the context of a handler. The call is answered with an error then, whether the handler
	// returns or not. Defaults to DefaultCallTimeout.
	CallTimeout time.Duration
	// Grace is how long Close lets handlers finish, before and after their contexts end. Defaults to DefaultGrace.
	Grace time.Duration

	// Guard says which calls go through the ledger. It must give the same for the same call. Defaults to none.
	// The ledger has to be there, see EnsureLedger.
	Guard func(*Call) Guard
	// Lease is after what time without a sign of life an executor counts as dead: at least 1 s. Defaults to
	// DefaultLease.
	Lease time.Duration

	// Logger takes what was dropped and why. Defaults to slog.Default().
	Logger *slog.Logger
}

func (o Options) withDefaults() Options {
	orDefault(&o.Tenant, "default")
	orDefault(&o.QueueGroup, DefaultQueueGroup)
	orDefault(&o.StartTimeout, DefaultStartTimeout)
	orDefault(&o.Concurrency, DefaultConcurrency)
	orDefault(&o.AcceptAfter, DefaultAcceptAfter)
	orDefault(&o.CallTimeout, DefaultCallTimeout)
	orDefault(&o.Grace, DefaultGrace)
	orDefault(&o.Lease, DefaultLease)
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	return o
}

func orDefault[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

// Client is one gateway process, or one replica of a gateway. Its methods may be called from many goroutines.
type Client struct {
	nc     *nats.Conn
	js     jetstream.JetStream
	names  subjects.Names
	opt    Options
	log    *slog.Logger
	ledger *ledger

	ctx     context.Context // ends with Close
	cancel  context.CancelCauseFunc
	work    sync.WaitGroup // goroutines of the client, without those of calls
	replies *nats.Subscription
	states  chan nats.Status

	mu      sync.Mutex
	closed  bool
	server  *server
	waiters map[string]*waiter // by run and job
	again   chan struct{}      // closed, and made anew, when the connection is back
	refs    map[string]time.Time
}

// New makes a client on a connection, which stays the caller's and must outlive it. It subscribes to the
// tenant's replies; ErrPermission says that it may not, ErrInput that an option is wrong.
func New(nc *nats.Conn, opt Options) (*Client, error) {
	opt = opt.withDefaults()
	names, err := subjects.New(opt.Prefix)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrInput, err)
	}
	if !protocol.ValidTenant(opt.Tenant) {
		return nil, fmt.Errorf("%w: tenant %q is not 1 to 64 of A-Za-z0-9_-", ErrInput, opt.Tenant)
	}
	if opt.Concurrency < 1 || opt.Lease < time.Second || opt.StartTimeout < 0 || opt.AcceptAfter < 0 || opt.CallTimeout < 0 || opt.Grace < 0 {
		return nil, fmt.Errorf("%w: concurrency %d, lease %s or another limit is too small", ErrInput, opt.Concurrency, opt.Lease)
	}
	c := &Client{
		nc: nc, names: names, opt: opt, log: opt.Logger.With("tenant", opt.Tenant),
		waiters: map[string]*waiter{}, again: make(chan struct{}), refs: map[string]time.Time{},
	}
	if c.js, err = jetstream.New(nc, jetstream.WithPublishAsyncMaxPending(1024), jetstream.WithPublishAsyncErrHandler(c.asyncFailed)); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrInput, err)
	}
	c.ctx, c.cancel = context.WithCancelCause(context.Background())
	c.ledger = newLedger(c)
	if c.replies, err = c.subscribe(names.ReplyFilter(opt.Tenant, subjects.Any), "", c.onReply); err != nil {
		c.cancel(ErrClosed)
		return nil, fmt.Errorf("subscribe to replies: %w", err)
	}
	c.states = nc.StatusChanged(nats.CONNECTED)
	c.work.Go(c.watchConnection)
	return c, nil
}

// subscribe listens with no bound on what waits: a dropped message is one that nobody sends again for long.
func (c *Client) subscribe(filter, queue string, take nats.MsgHandler) (*nats.Subscription, error) {
	sub, err := c.nc.QueueSubscribe(filter, queue, take)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filter, err)
	}
	if err := sub.SetPendingLimits(-1, -1); err == nil && c.nc.IsConnected() {
		err = c.nc.FlushTimeout(flushTimeout)
		if err == nil || errors.Is(err, nats.ErrTimeout) {
			err = denied(c.nc, `Subscription to "`+filter+`"`)
		}
		if err != nil {
			_ = sub.Unsubscribe() // the first error is the one to tell
			return nil, err
		}
	}
	return sub, nil
}

// watchConnection tells all that wait when the connection is back, since messages may have been missed.
func (c *Client) watchConnection() {
	for {
		select {
		case <-c.ctx.Done():
			return
		case _, open := <-c.states:
			if !open {
				return
			}
			c.mu.Lock()
			close(c.again)
			c.again = make(chan struct{})
			c.mu.Unlock()
		}
	}
}

// reconnected is closed at the next time the connection comes back.
func (c *Client) reconnected() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.again
}

// Close stops taking calls, gives handlers Options.Grace to finish and as long again after their contexts have
// ended, and ends everything that waits with ErrClosed. A handler that has not returned by then is left behind
// and told of in ErrGrace. The connection stays open.
func (c *Client) Close() error {
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		return nil
	}
	c.closed = true
	s := c.server
	c.mu.Unlock()
	var err error
	if s != nil {
		err = s.stop()
	}
	c.cancel(ErrClosed)
	c.nc.RemoveStatusListener(c.states)
	if e := c.replies.Unsubscribe(); e != nil && !errors.Is(e, nats.ErrConnectionClosed) {
		err = errors.Join(err, fmt.Errorf("unsubscribe from replies: %w", e))
	}
	c.work.Wait()
	c.js.CleanupPublisher()
	return err
}

// publish stores a message, trying until ctx ends or the client is closed. A right that is missing ends it early.
func (c *Client) publish(ctx context.Context, subject string, data []byte, opts ...jetstream.PublishOpt) (*jetstream.PubAck, error) {
	msg := nats.NewMsg(subject)
	msg.Data = data
	natstrace.Inject(ctx, msg)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(c.ctx, func() { cancel(context.Cause(c.ctx)) })()
	check := time.AfterFunc(deniedAfter, func() {
		if err := denied(c.nc, `Publish to "`+subject+`"`); err != nil {
			cancel(err)
		}
	})
	defer check.Stop()
	ack, err := jetpub.Publish(ctx, c.js, msg, opts...)
	if errors.Is(err, jetpub.ErrTooLarge) {
		err = fmt.Errorf("%w: %w", ErrTooLarge, err)
	}
	return ack, err
}

// last reads the last message of a subject, nil where there is none or where it only says that one was
// deleted or has expired. It asks in the one form that can be permitted for a tenant alone.
func (c *Client) last(ctx context.Context, stream, subject string) (*nats.Msg, error) {
	ctx, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	get := "$JS.API.DIRECT.GET." + stream + "." + subject
	msg, err := c.nc.RequestWithContext(ctx, get, nil)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", subject, unanswered(c.nc, err, get))
	}
	switch status := msg.Header.Get("Status"); {
	case status == "404":
		return nil, nil
	case status != "" || msg.Header.Get(jetstream.SequenceHeader) == "":
		return nil, fmt.Errorf("read %s: %w: %q %q", subject, ErrMalformed, status, msg.Header.Get("Description"))
	case msg.Header.Get("Nats-Marker-Reason") != "" || msg.Header.Get("KV-Operation") != "":
		return nil, nil
	}
	return msg, nil
}

func (c *Client) asyncFailed(_ jetstream.JetStream, msg *nats.Msg, err error) {
	c.log.Warn("message could not be stored", "subject", msg.Subject, "error", err)
}

// address gives the run id and the last token of a subject below the tenant's runs.
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
