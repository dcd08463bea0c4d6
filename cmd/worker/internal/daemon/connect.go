package daemon

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"

	"codemode/cmd/worker/internal/config"
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
	opts, err := d.clientOptions()
	if err != nil {
		return err
	}
	url := d.Config.NATSURL.Connect()
	if d.embedded != nil {
		url = d.embedded.URL()
	}
	began, said := time.Now(), time.Time{}
	for {
		d.conn, err = nats.Connect(url, opts...)
		if err == nil {
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

func (d *daemon) clientOptions() ([]nats.Option, error) {
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
		return append(opts, d.embedded.InProcess()), nil
	}
	identity, err := identity(&d.Config)
	return append(opts, identity...), err
}

// identity is who the worker is for the server, and how it knows the server. What is wrong with a file shows here
// and not at the server's door.
func identity(c *config.Config) (opts []nats.Option, err error) {
	var faults config.Faults
	add := func(name string, file config.File, opt nats.Option, err error) {
		if err == nil {
			scratch := nats.GetDefaultOptions()
			err = opt(&scratch)
		}
		if err != nil {
			faults = append(faults, fmt.Sprintf("%s is %q: %v", name, file, err))
			return
		}
		opts = append(opts, opt)
	}
	if c.NATSCreds != "" {
		add("CODEMODE_NATS_CREDS", c.NATSCreds, nats.UserCredentials(string(c.NATSCreds)), checkCredentials(string(c.NATSCreds)))
	}
	if c.NATSNKey != "" {
		opt, err := nats.NkeyOptionFromSeed(string(c.NATSNKey))
		add("CODEMODE_NATS_NKEY", c.NATSNKey, opt, err)
	}
	if c.NATSUser != "" {
		opts = append(opts, nats.UserInfo(c.NATSUser, c.NATSPassword))
	}
	if c.NATSToken != "" {
		opts = append(opts, nats.Token(c.NATSToken))
	}
	if c.NATSCA != "" {
		add("CODEMODE_NATS_CA", c.NATSCA, nats.RootCAs(string(c.NATSCA)), nil)
	}
	if c.NATSCert != "" {
		add("CODEMODE_NATS_CERT", c.NATSCert, nats.ClientCert(string(c.NATSCert), string(c.NATSKey)), nil)
	}
	if len(faults) > 0 {
		return nil, faults
	}
	return opts, nil
}

func checkCredentials(file string) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if _, err := nkeys.ParseDecoratedJWT(data); err != nil {
		return err
	}
	seed, err := nkeys.ParseDecoratedUserNKey(data)
	if err != nil {
		return err
	}
	seed.Wipe()
	return nil
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
