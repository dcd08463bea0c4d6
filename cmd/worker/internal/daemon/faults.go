package daemon

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"strings"
	"syscall"
	"time"

	"github.com/nats-io/nats.go"

	"codemode/cmd/worker/internal/config"
	"codemode/subjects"
)

// systemError leaves out of an error what its message says already, if the system gave a reason.
func systemError(err error) error {
	var errno syscall.Errno
	if errors.As(err, &errno) {
		return errno
	}
	return err
}

// plain is the client's error in words that say what happened.
func plain(err error) string {
	if errors.Is(err, nats.ErrNoServers) {
		return "connection refused" // that is what the client turns into this
	}
	if certificate := (*tls.CertificateVerificationError)(nil); errors.As(err, &certificate) {
		return certificate.Error()
	}
	return strings.TrimPrefix(err.Error(), "nats: ")
}

func (d *daemon) unreachable(err error, waited time.Duration) error {
	switch url := d.Config.NATSURL; {
	case d.embedded != nil:
		return fmt.Errorf("the embedded NATS server at %s takes no connection: %w", d.embedded.URL(), err)
	case errors.Is(err, nats.ErrAuthorization), errors.Is(err, nats.ErrAuthExpired), errors.Is(err, nats.ErrAuthRevoked):
		return fmt.Errorf("the NATS server at %s refuses the worker (%s); see CODEMODE_NATS_USER, _CREDS, _NKEY and _TOKEN", url, plain(err))
	case final(err):
		return fmt.Errorf("the NATS server at %s cannot be used: %s; see CODEMODE_NATS_CA, _CERT and _KEY", url, plain(err))
	default:
		return fmt.Errorf("no NATS server answers at %s (CODEMODE_NATS_URL), tried for %s (CODEMODE_START_TIMEOUT): %s",
			url, waited.Round(100*time.Millisecond), plain(err))
	}
}

func embeddedFault(err error, c *config.Config) error {
	if errors.Is(err, errStoreUsed) {
		return fmt.Errorf("the store folder %s (CODEMODE_EMBEDDED_STORE) is used by another embedded NATS server", c.EmbeddedStore)
	}
	var listen *net.OpError
	if errors.As(err, &listen) {
		return fmt.Errorf("the embedded NATS server cannot listen on %s (CODEMODE_EMBEDDED_ADDR): %w", c.EmbeddedAddr, systemError(err))
	}
	var folder *fs.PathError
	if errors.As(err, &folder) {
		return fmt.Errorf("the embedded NATS server cannot write to %s (CODEMODE_EMBEDDED_STORE): %w", c.EmbeddedStore, systemError(err))
	}
	return err
}

func (d *daemon) workerFault(err error) error {
	url := d.conn.ConnectedUrlRedacted()
	switch {
	case errors.Is(err, subjects.ErrNoJetStream):
		return fmt.Errorf("the NATS server at %s has no JetStream for this account; a server is started with it by -js", url)
	case errors.Is(err, subjects.ErrNotPermitted):
		return fmt.Errorf("the NATS user lacks a permission: %w", err)
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("streams could not be set up at %s within %s (CODEMODE_START_TIMEOUT): %w", url, d.Config.StartTimeout, err)
	}
	return fmt.Errorf("the worker cannot start at %s: %w", url, err)
}

// checkPermissions finds out whether a subscription was refused. The server tells so on the side, and the
// worker would look well and never hear of an abort.
func (d *daemon) checkPermissions(ctx context.Context) error {
	if err := d.conn.FlushWithContext(ctx); err != nil {
		return fmt.Errorf("NATS does not answer: %w", err)
	}
	if err := d.conn.LastError(); errors.Is(err, nats.ErrPermissionViolation) {
		return fmt.Errorf("the NATS user lacks a permission: %w", err)
	}
	return nil
}
