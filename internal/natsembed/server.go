// Package natsembed runs a NATS server with JetStream inside the process: for a worker that brings its
// own, and for tests. The server handles no signals and logs through the logger it is given.
package natsembed

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"strconv"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
)

// DefaultMaxPayload in bytes is enough for the largest reply (design 3).
const DefaultMaxPayload = 16 << 20

// largestMaxPayload is the largest record JetStream takes, less room for headers.
const largestMaxPayload = 31 << 20

// startTimeout bounds recovery of a large store as well as listening.
const startTimeout = 30 * time.Second

// ErrStart is returned by Start when the server cannot be started; the text names the address or the folder.
var ErrStart = errors.New("start embedded nats server")

// Options of an embedded server.
type Options struct {
	// Addr is "host:port". An empty address is a free loopback port; port 0 a free port of the host.
	Addr string
	// StoreDir keeps the streams; it is created where it is missing. Required.
	StoreDir string
	// MaxPayload in bytes, up to 31 MiB. Defaults to DefaultMaxPayload.
	MaxPayload int
	// Logger takes the server's own log. Defaults to none.
	Logger *slog.Logger
}

// Server is a running server. Its methods may be called from many goroutines.
type Server struct {
	srv *server.Server
	url string
}

// Start starts a server and returns when it takes connections. Every error wraps ErrStart.
func Start(opts Options) (*Server, error) {
	host, port, err := probe(opts.Addr)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrStart, err)
	}
	if err := checkFolder(opts.StoreDir); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrStart, err)
	}
	if opts.MaxPayload == 0 {
		opts.MaxPayload = DefaultMaxPayload
	}
	if opts.MaxPayload < 0 || opts.MaxPayload > largestMaxPayload {
		return nil, fmt.Errorf("%w: max_payload is %d bytes, want 1 to %d", ErrStart, opts.MaxPayload, largestMaxPayload)
	}
	srv, err := server.NewServer(&server.Options{
		Host: host, Port: port,
		JetStream: true, StoreDir: opts.StoreDir,
		MaxPayload: int32(opts.MaxPayload),
		NoSigs:     true, DisableJetStreamBanner: true,
	})
	if err != nil {
		return nil, fmt.Errorf("%w on %s: %w", ErrStart, opts.Addr, err)
	}
	log := newLogger(opts.Logger)
	srv.SetLoggerV2(log, false, false, false)
	srv.Start()
	if !srv.ReadyForConnections(startTimeout) || !srv.JetStreamEnabled() {
		srv.Shutdown()
		srv.WaitForShutdown()
		if reason := log.fatal.Load(); reason != nil {
			return nil, fmt.Errorf("%w on %s, store folder %s: %s", ErrStart, opts.Addr, opts.StoreDir, *reason)
		}
		return nil, fmt.Errorf("%w on %s, store folder %s: not ready after %s", ErrStart, opts.Addr, opts.StoreDir, startTimeout)
	}
	return &Server{srv: srv, url: clientURL(srv.Addr())}, nil
}

// URL is where clients on this machine connect.
func (s *Server) URL() string { return s.url }

// InProcess is the option with which a client of the same process connects without a socket; the URL it
// is used with is not looked at.
func (s *Server) InProcess() nats.Option { return nats.InProcessServer(s.srv) }

// Shutdown stops the server and returns when it has. A second call only waits.
func (s *Server) Shutdown() {
	s.srv.Shutdown()
	s.srv.WaitForShutdown()
}

// probe splits the address and listens on it once: the server would only log that a port is busy.
func probe(addr string) (host string, port int, err error) {
	if addr == "" {
		return "127.0.0.1", server.RANDOM_PORT, nil
	}
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return "", 0, fmt.Errorf("listen on %s: %w", addr, err)
	}
	if err := l.Close(); err != nil {
		return "", 0, fmt.Errorf("listen on %s: %w", addr, err)
	}
	host, asked, err := net.SplitHostPort(addr)
	if err != nil {
		return "", 0, fmt.Errorf("listen on %s: %w", addr, err)
	}
	port = l.Addr().(*net.TCPAddr).Port
	if asked == "0" || asked == "" {
		port = server.RANDOM_PORT // not the probed one: another process may have it by now
	}
	return host, port, nil
}

// checkFolder makes the folder and writes to it, so that a bad one is an error here and not a log line there.
func checkFolder(dir string) error {
	if dir == "" {
		return errors.New("no store folder is set")
	}
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return fmt.Errorf("store folder %s: %w", dir, err)
	}
	f, err := os.CreateTemp(dir, ".probe-*")
	if err != nil {
		return fmt.Errorf("store folder %s: %w", dir, err)
	}
	if err := errors.Join(f.Close(), os.Remove(f.Name())); err != nil {
		return fmt.Errorf("store folder %s: %w", dir, err)
	}
	return nil
}

func clientURL(addr net.Addr) string {
	tcp := addr.(*net.TCPAddr)
	host := tcp.IP.String()
	if tcp.IP.IsUnspecified() {
		host = "127.0.0.1"
	}
	return "nats://" + net.JoinHostPort(host, strconv.Itoa(tcp.Port))
}
