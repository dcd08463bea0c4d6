package worker_test

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

	"codemode/internal/natstest"
	"codemode/vm"
	"codemode/worker"
)

var sharedEngine = sync.OnceValues(func() (*vm.Engine, error) {
	return vm.New(context.Background(), vm.Options{CacheDir: filepath.Join(os.TempDir(), "codemode-test-cache")})
})

// startWorker runs a worker on a connection of its own until the test ends.
func startWorker(t testing.TB, url string, change func(*worker.Options)) *worker.Worker {
	t.Helper()
	engine, err := sharedEngine()
	if err != nil {
		t.Fatal(err)
	}
	out := io.Discard
	if testing.Verbose() {
		out = os.Stderr
	}
	opt := worker.Options{
		Conn: natstest.Connect(t, url, nats.CustomInboxPrefix("_INBOX.worker")), Engine: engine, ID: "w-" + t.Name(),
		Logger: slog.New(slog.NewTextHandler(out, nil)),
	}
	if change != nil {
		change(&opt)
	}
	w, err := worker.New(opt)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	if err := w.Start(ctx); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		defer cancel()
		if err := w.Stop(ctx); err != nil {
			t.Errorf("stop worker: %v", err)
		}
	})
	return w
}
