package otel_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"codemode/otel"
)

func serve(t *testing.T, metrics http.Handler, ready otel.Health) (base string, stop func() error) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	s, err := otel.Serve(ctx, "127.0.0.1:0", metrics, ready)
	if err != nil {
		cancel()
		t.Fatal(err)
	}
	stop = func() error { cancel(); return s.Wait() }
	t.Cleanup(func() {
		if err := stop(); err != nil {
			t.Errorf("stop: %v", err)
		}
	})
	return "http://" + s.Addr(), stop
}

// get uses a connection of its own, so that none is left behind.
func get(t *testing.T, method, url string) (int, string) {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	req, err := http.NewRequestWithContext(t.Context(), method, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(body)
}

func TestServeHealth(t *testing.T) {
	t.Parallel()
	var reason atomic.Pointer[error]
	set := func(err error) { reason.Store(&err) }
	set(errors.New("not connected to NATS"))
	metrics := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "m 1\n") })
	base, _ := serve(t, metrics, func() error { return *reason.Load() })

	check := func(method, path string, status int, body string) {
		t.Helper()
		if s, b := get(t, method, base+path); s != status || b != body {
			t.Errorf("%s %s: %d %q, want %d %q", method, path, s, b, status, body)
		}
	}
	check("GET", "/metrics", 200, "m 1\n")
	check("GET", "/healthz", 200, "ok\n")
	check("GET", "/readyz", 503, "not connected to NATS\n")
	set(nil)
	check("GET", "/readyz", 200, "ok\n")
	check("HEAD", "/readyz", 200, "")
	set(errors.New("draining"))
	check("GET", "/readyz", 503, "draining\n")
	check("GET", "/healthz", 200, "ok\n")
	check("GET", "/other", 404, "404 page not found\n")
	check("POST", "/readyz", 405, "Method Not Allowed\n")
}

func TestServeWithoutHealthIsReady(t *testing.T) {
	t.Parallel()
	base, _ := serve(t, http.NotFoundHandler(), nil)
	if s, _ := get(t, "GET", base+"/readyz"); s != 200 {
		t.Errorf("readyz is %d, want 200", s)
	}
}

func TestServeOnABusyPort(t *testing.T) {
	t.Parallel()
	busy, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer busy.Close()
	_, err = otel.Serve(t.Context(), busy.Addr().String(), http.NotFoundHandler(), nil)
	if err == nil || !strings.Contains(err.Error(), busy.Addr().String()) {
		t.Errorf("got %v, want an error that names %s", err, busy.Addr())
	}
}

func TestServeStopsAfterTheRequestUnderWay(t *testing.T) {
	t.Parallel()
	entered, leave := make(chan struct{}), make(chan struct{})
	base, stop := serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		close(entered)
		<-leave
		_, _ = io.WriteString(w, "late")
	}), nil)
	got, stopped := make(chan string, 1), make(chan error, 1)
	go func() {
		_, body := get(t, "GET", base+"/metrics")
		got <- body
	}()
	<-entered
	go func() { stopped <- stop() }()
	// The listener closes first: once a dial is refused, the server is waiting for the request.
	for addr := strings.TrimPrefix(base, "http://"); ; {
		c, err := net.Dial("tcp", addr)
		if err != nil {
			break
		}
		c.Close()
	}
	close(leave)
	if body := <-got; body != "late" {
		t.Errorf("the request under way got %q", body)
	}
	if err := <-stopped; err != nil {
		t.Errorf("stop: %v", err)
	}
}
