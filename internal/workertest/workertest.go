// Package workertest gives tests a real worker in their process, on an engine that they share.
package workertest

import (
	"context"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"codemode/vm"
	"codemode/worker"
)

var engine = sync.OnceValues(func() (*vm.Engine, error) {
	return vm.New(context.Background(), vm.Options{CacheDir: filepath.Join(os.TempDir(), "codemode-test-cache")})
})

// Engine gives the one engine of the test process; compiling it takes half a second.
func Engine(t testing.TB) *vm.Engine {
	t.Helper()
	e, err := engine()
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// Start runs a worker over nc until the test ends. change, if not nil, adapts its options; with -v its log
// is on standard error.
func Start(t testing.TB, nc *nats.Conn, change func(*worker.Options)) *worker.Worker {
	t.Helper()
	out := io.Discard
	if testing.Verbose() {
		out = os.Stderr
	}
	opt := worker.Options{Conn: nc, Engine: Engine(t), ID: "w-" + t.Name(), Logger: slog.New(slog.NewTextHandler(out, nil))}
	if change != nil {
		change(&opt)
	}
	w, err := worker.New(opt)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	if err := w.Start(ctx); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		defer cancel()
		if err := w.Stop(ctx); err != nil {
			t.Errorf("stop worker: %v", err)
		}
	})
	return w
}
