// Package localpool brings up a pool of workers on this machine for a short time: a NATS server in the
// process, worker programs as processes of their own, and one temporary folder for all of it. Close leaves
// neither processes nor files behind.
package localpool

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"codemode/internal/natsembed"
)

// What this package returns, wrapped with what there is to know.
var (
	// ErrNoWorker is returned by FindWorker where there is no program to start.
	ErrNoWorker = errors.New("no worker program")
	// ErrNotReady is returned by StartWorker for a worker that ends, or says nothing, before it takes jobs.
	ErrNotReady = errors.New("worker did not get ready")
	// ErrLost is the cause that Context ends with when a worker has ended by itself.
	ErrLost = errors.New("worker ended by itself")
)

// FindWorker gives the path of the worker program: the given one, or where that is "" the program `worker`
// in the folder of the running one.
func FindWorker(path string) (string, error) {
	if path == "" {
		self, err := os.Executable()
		if err != nil {
			return "", fmt.Errorf("%w: find own folder: %w", ErrNoWorker, err)
		}
		path = filepath.Join(filepath.Dir(self), "worker")
		if runtime.GOOS == "windows" {
			path += ".exe"
		}
	}
	const advice = "build it with \"go build -o bin/ ./cmd/worker\", or name it with --worker-bin"
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return "", fmt.Errorf("%w at %s: %s", ErrNoWorker, path, advice)
	case info.IsDir() || runtime.GOOS != "windows" && info.Mode()&0o111 == 0:
		return "", fmt.Errorf("%w at %s: it is no executable file; %s", ErrNoWorker, path, advice)
	}
	return filepath.Abs(path)
}

// Options of a Pool.
type Options struct {
	// WorkerBin is the program that FindWorker gave.
	WorkerBin string
	// Env are settings of every worker, as "NAME=value". Of the CODEMODE_* variables of this process it has
	// only those that tune it.
	Env []string
}

// Pool is a running server with any number of workers.
type Pool struct {
	opt    Options
	dir    string
	srv    *natsembed.Server
	ctx    context.Context
	cancel context.CancelCauseFunc

	mu      sync.Mutex
	workers []*Worker
}

// Start starts the server on a free loopback port. When ctx ends, so does the pool's Context; Close is still needed.
func Start(ctx context.Context, opt Options) (*Pool, error) {
	dir, err := os.MkdirTemp("", "codemode-loadgen-")
	if err != nil {
		return nil, fmt.Errorf("make temporary folder: %w", err)
	}
	srv, err := natsembed.Start(natsembed.Options{StoreDir: filepath.Join(dir, "nats")})
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	p := &Pool{opt: opt, dir: dir, srv: srv}
	p.ctx, p.cancel = context.WithCancelCause(ctx)
	return p, nil
}

// Context is that of all work with the pool: it ends, with ErrLost as cause, when a worker has ended that
// nobody killed or stopped.
func (p *Pool) Context() context.Context { return p.ctx }

// URL is where the server listens.
func (p *Pool) URL() string { return p.srv.URL() }

// StartWorker starts a worker and returns when it takes jobs. It may be called from many goroutines.
func (p *Pool) StartWorker(id string) (*Worker, error) {
	env := append(workerEnv(os.Environ(), filepath.Join(p.dir, "cache")), p.opt.Env...)
	env = append(env, "CODEMODE_HTTP_ADDR=off", "CODEMODE_NATS_URL="+p.URL(), "CODEMODE_WORKER_ID="+id)
	w, err := launch(p.opt.WorkerBin, id, env, p.cancel)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	p.workers = append(p.workers, w)
	p.mu.Unlock()
	return w, w.awaitReady(p.ctx)
}

// inherited are the worker's variables that are taken over from this process: those that tune it. Others, such
// as credentials of a real server or a level of log that hides that it is ready, would stand in the way.
var inherited = []string{
	"CODEMODE_EXEC_SLOTS", "CODEMODE_WAIT_SLOTS", "CODEMODE_CATALOG_CACHE_BYTES", "CODEMODE_OUTPUT_EVENTS", "CODEMODE_CACHE_DIR",
}

// workerEnv makes a worker's environment out of this process's. The last of two equal names counts.
func workerEnv(environ []string, cacheDir string) []string {
	env := []string{"CODEMODE_CACHE_DIR=" + cacheDir}
	for _, setting := range environ {
		name, _, _ := strings.Cut(setting, "=")
		if slices.Contains(inherited, name) || !strings.HasPrefix(name, "CODEMODE_") && !strings.HasPrefix(name, "OTEL_") {
			env = append(env, setting)
		}
	}
	return env
}

// Close stops the workers, then the server, and removes the folder.
func (p *Pool) Close() error {
	p.mu.Lock()
	workers := p.workers
	p.workers = nil
	p.mu.Unlock()
	var stopping sync.WaitGroup
	errs := make([]error, len(workers))
	for i, w := range workers {
		stopping.Go(func() { errs[i] = w.Stop() })
	}
	stopping.Wait()
	p.cancel(nil)
	p.srv.Shutdown()
	if err := os.RemoveAll(p.dir); err != nil {
		errs = append(errs, fmt.Errorf("remove temporary folder: %w", err))
	}
	return errors.Join(errs...)
}
