//go:build unix

package localpool

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"go.uber.org/goleak"
)

// playing names what the test program does when it is started as a worker.
const playing = "LOADGEN_TEST_WORKER"

func TestMain(m *testing.M) {
	if part := os.Getenv(playing); part != "" {
		play(part)
	}
	goleak.VerifyTestMain(m)
}

func play(part string) {
	if part == "broken" {
		fmt.Fprintln(os.Stderr, "worker: CODEMODE_EXEC_SLOTS is 0")
		os.Exit(2)
	}
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM)
	nc, err := nats.Connect(os.Getenv("CODEMODE_NATS_URL"))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if _, err := nc.Subscribe("die."+os.Getenv("CODEMODE_WORKER_ID"), func(*nats.Msg) { os.Exit(3) }); err != nil {
		os.Exit(1)
	}
	if err := nc.Flush(); err != nil {
		os.Exit(1)
	}
	fmt.Fprintf(os.Stderr, "level=INFO msg=ready worker=%s\n", os.Getenv("CODEMODE_WORKER_ID"))
	<-signals
	if part == "fails at the end" {
		fmt.Fprintln(os.Stderr, "cannot stop")
		os.Exit(1)
	}
	os.Exit(0)
}

// startPool starts a pool whose workers are this program. The caller closes it.
func startPool(t *testing.T, ctx context.Context, part string) *Pool {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p, err := Start(ctx, Options{WorkerBin: self, Env: []string{playing + "=" + part}})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func gone(t *testing.T, p *Pool, workers ...*Worker) {
	t.Helper()
	if _, err := os.Stat(p.dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("folder %s is left: %v", p.dir, err)
	}
	for _, w := range workers {
		if err := syscall.Kill(w.PID, 0); !errors.Is(err, syscall.ESRCH) {
			t.Errorf("process %d of %s is left: %v", w.PID, w.ID, err)
		}
	}
}

func TestPoolLeavesNothing(t *testing.T) {
	t.Parallel()
	p := startPool(t, t.Context(), "good")
	a, err := p.StartWorker("a")
	if err != nil {
		t.Fatal(err)
	}
	b, err := p.StartWorker("b")
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Kill(); err != nil {
		t.Fatal(err)
	}
	if got := b.Exit(); got != "signal: killed" {
		t.Errorf("killed worker's end is %q", got)
	}
	if err := context.Cause(p.Context()); err != nil {
		t.Errorf("a killed worker counts as lost: %v", err)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	if a.Exit() != "exit status 0" {
		t.Errorf("stopped worker's end is %q", a.Exit())
	}
	gone(t, p, a, b)
}

func TestLostWorkerEndsTheContext(t *testing.T) {
	t.Parallel()
	p := startPool(t, t.Context(), "good")
	w, err := p.StartWorker("a")
	if err != nil {
		t.Fatal(err)
	}
	nc, err := nats.Connect(p.URL())
	if err != nil {
		t.Fatal(err)
	}
	if err := nc.Publish("die.a", nil); err != nil {
		t.Fatal(err)
	}
	<-p.Context().Done()
	nc.Close()
	cause := context.Cause(p.Context())
	if !errors.Is(cause, ErrLost) || !strings.Contains(cause.Error(), "a (exit status 3): level=INFO msg=ready") {
		t.Errorf("cause %v", cause)
	}
	if err := p.Close(); err == nil {
		t.Error("closing does not tell that a worker was lost")
	}
	gone(t, p, w)
}

func TestWorkerThatDoesNotGetReady(t *testing.T) {
	t.Parallel()
	p := startPool(t, t.Context(), "broken")
	w, err := p.StartWorker("a")
	if !errors.Is(err, ErrNotReady) || !strings.Contains(err.Error(), "a (exit status 2): worker: CODEMODE_EXEC_SLOTS is 0") {
		t.Errorf("error %v", err)
	}
	_ = p.Close() // tells the same again
	gone(t, p, w)
}

func TestWorkerThatFailsAtTheEnd(t *testing.T) {
	t.Parallel()
	p := startPool(t, t.Context(), "fails at the end")
	w, err := p.StartWorker("a")
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Close(); err == nil || !strings.Contains(err.Error(), "worker a ended badly: exit status 1: cannot stop") {
		t.Errorf("error %v", err)
	}
	gone(t, p, w)
}

func TestInterruptedStart(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancelCause(t.Context())
	stop := errors.New("stop")
	cancel(stop)
	p := startPool(t, ctx, "good")
	if w, err := p.StartWorker("a"); err != nil && !errors.Is(err, stop) || w == nil {
		t.Errorf("worker %v, error %v", w, err)
	}
	_ = p.Close() // the worker may have been stopped before it could listen for that
	gone(t, p)
}

func TestFindWorker(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	plain := filepath.Join(dir, "plain")
	if err := os.WriteFile(plain, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{filepath.Join(dir, "absent"), plain, dir, ""} {
		if _, err := FindWorker(path); !errors.Is(err, ErrNoWorker) || !strings.Contains(err.Error(), path) || strings.Contains(err.Error(), "\n") {
			t.Errorf("FindWorker(%q): %v", path, err)
		}
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if got, err := FindWorker(self); err != nil || got != self {
		t.Errorf("FindWorker(self) gives %s, %v", got, err)
	}
}

func TestWorkerEnv(t *testing.T) {
	t.Parallel()
	got := workerEnv([]string{
		"PATH=/bin", "CODEMODE_LOG_LEVEL=error", "CODEMODE_NATS_CREDS=/x", "CODEMODE_EXEC_SLOTS=8", "OTEL_TRACES_EXPORTER=otlp", "odd",
	}, "/cache")
	want := []string{"CODEMODE_CACHE_DIR=/cache", "PATH=/bin", "CODEMODE_EXEC_SLOTS=8", "odd"}
	if !slices.Equal(got, want) {
		t.Errorf("environment %q, want %q", got, want)
	}
}

func TestLogTail(t *testing.T) {
	t.Parallel()
	log := newLogTail("msg=ready")
	write := func(s string) {
		if n, err := log.Write([]byte(s)); n != len(s) || err != nil {
			t.Errorf("Write gives %d, %v", n, err)
		}
	}
	open := func() bool {
		select {
		case <-log.marked:
			return false
		default:
			return true
		}
	}
	write("first\n" + strings.Repeat("x", 3*maxLogLine) + "msg=ready\nmsg=re")
	if !open() || log.last() != "msg=re" {
		t.Errorf("marked too early, or last line %q", log.last())
	}
	write("ady at last\n\n")
	if open() || log.last() != "msg=ready at last" {
		t.Errorf("not marked, or last line %q", log.last())
	}
	write("msg=ready again\n") // must not close twice
	began := time.Now()
	for range 1000 {
		write(strings.Repeat("y", 64<<10))
	}
	if got := len(log.last()); got != maxLogLine {
		t.Errorf("a line without end is kept with %d bytes after %s", got, time.Since(began))
	}
}
