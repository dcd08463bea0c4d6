package otel

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"
)

const (
	// A scrape that is under way when the process stops may end.
	stopTimeout   = 2 * time.Second
	headerTimeout = 5 * time.Second
	writeTimeout  = 30 * time.Second
	idleTimeout   = 2 * time.Minute
)

// Health says why the process should be sent no work, nil when it should. It must be quick and safe to call
// from many goroutines.
type Health func() error

// Server is the HTTP endpoint for operators.
type Server struct {
	listener net.Listener
	done     chan struct{}
	err      error // read after done
}

// Serve listens on addr ("host:port", port 0 for a free one) and serves until ctx ends:
//
//	/metrics  the handler
//	/healthz  200 while the process is alive
//	/readyz   200, or 503 with the reason as text; always 200 where ready is nil
//
// It returns once it listens, or an error that names the address. Wait tells when it has stopped.
func Serve(ctx context.Context, addr string, metrics http.Handler, ready Health) (*Server, error) {
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("serve metrics and health on %s: %w", addr, err)
	}
	s := &Server{listener: listener, done: make(chan struct{})}
	go s.run(ctx, &http.Server{
		Handler:           routes(metrics, ready),
		ReadHeaderTimeout: headerTimeout, WriteTimeout: writeTimeout, IdleTimeout: idleTimeout,
	})
	return s, nil
}

// Addr is the address it listens on.
func (s *Server) Addr() string { return s.listener.Addr().String() }

// Wait returns when the server has stopped: nil after ctx ended.
func (s *Server) Wait() error {
	<-s.done
	return s.err
}

func (s *Server) run(ctx context.Context, srv *http.Server) {
	defer close(s.done)
	failed := make(chan error, 1)
	go func() { failed <- srv.Serve(s.listener) }()
	select {
	case err := <-failed:
		s.err = fmt.Errorf("serve metrics and health on %s: %w", s.Addr(), err)
		return
	case <-ctx.Done():
	}
	// ctx is over, but what it carries is not.
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTimeout)
	defer cancel()
	if err := srv.Shutdown(grace); err != nil {
		s.err = errors.Join(fmt.Errorf("stop serving on %s: %w", s.Addr(), err), srv.Close())
	}
	<-failed
}

func routes(metrics http.Handler, ready Health) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", metrics)
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { answer(w, http.StatusOK, "ok") })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) {
		if ready != nil {
			if err := ready(); err != nil {
				answer(w, http.StatusServiceUnavailable, err.Error())
				return
			}
		}
		answer(w, http.StatusOK, "ok")
	})
	return mux
}

func answer(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, text+"\n") // the other side has gone
}
