package daemon

import (
	"context"
	"crypto/tls"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/nats-io/nats.go"
)

const (
	connectTimeout = 5 * time.Second
	pingInterval   = 20 * time.Second
	// A fleet that lost its server must not come back all at once.
	reconnectWait      = 250 * time.Millisecond
	reconnectJitter    = 100 * time.Millisecond
	reconnectJitterTLS = 500 * time.Millisecond
	// progressEvery is how often a worker that waits for its server says so.
	progressEvery = 5 * time.Second
)

// connect connects, and waits for a server that is not there yet. Once it has been connected the client
// tries for ever by itself.
func (d *daemon) connect(ctx context.Context) error {
	opts := d.clientOptions()
	url := d.Config.NATSURL.Connect()
	if d.embedded != nil {
		url = d.embedded.URL()
	}
	began, said := time.Now(), time.Time{}
	for {
		conn, err := nats.Connect(url, opts...)
		if err == nil {
			d.conn = conn
			return nil
		}
		if waited := time.Since(began); final(err) || waited > d.Config.StartTimeout {
			return d.unreachable(err, waited)
		}
		if time.Since(said) > progressEvery {
			said = time.Now()
			d.Log.Warn("the NATS server does not answer, trying again", "url", d.Config.NATSURL, "error", plain(err),
				"give_up_in", (d.Config.StartTimeout - time.Since(began)).Round(time.Second))
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(min(reconnectWait+rand.N(reconnectJitter), max(0, time.Until(began.Add(d.Config.StartTimeout))))):
		}
	}
}

func (d *daemon) clientOptions() []nats.Option {
	opts := []nats.Option{
		nats.Name("codemode-worker " + string(d.Config.WorkerID)),
		nats.MaxReconnects(-1), nats.ReconnectWait(reconnectWait), nats.ReconnectJitter(reconnectJitter, reconnectJitterTLS),
		nats.PingInterval(pingInterval), nats.MaxPingsOutstanding(2), nats.Timeout(connectTimeout), nats.DrainTimeout(drainTimeout),
		nats.CustomInboxPrefix(string(d.Config.NATSInbox)),
		nats.ErrorHandler(func(_ *nats.Conn, sub *nats.Subscription, err error) {
			log := d.Log
			if sub != nil {
				log = log.With("subject", sub.Subject)
			}
			log.Warn("NATS reports an error", "error", err)
		}),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			if err != nil { // nil: this side has ended it
				d.Log.Warn("disconnected from NATS, trying to connect again", "error", err)
			}
		}),
		nats.ReconnectHandler(func(nc *nats.Conn) { d.Log.Info("connected to NATS again", "url", nc.ConnectedUrlRedacted()) }),
		nats.LameDuckModeHandler(func(nc *nats.Conn) {
			d.Log.Info("the NATS server is going to stop", "url", nc.ConnectedUrlRedacted())
		}),
		nats.ClosedHandler(func(*nats.Conn) { close(d.closed) }),
	}
	if d.embedded != nil {
		return append(opts, d.embedded.InProcess())
	}
	return append(opts, d.identity...)
}

// final reports whether the server was reached and will not change its mind.
func final(err error) bool {
	for _, known := range []error{
		nats.ErrAuthorization, nats.ErrAuthExpired, nats.ErrAuthRevoked, nats.ErrAccountAuthExpired,
		nats.ErrSecureConnRequired, nats.ErrSecureConnWanted, nats.ErrNkeysNotSupported, nats.ErrTokenAlreadySet,
	} {
		if errors.Is(err, known) {
			return true
		}
	}
	certificate := (*tls.CertificateVerificationError)(nil)
	return errors.As(err, &certificate)
}
