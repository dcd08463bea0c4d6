package gateway_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"go.uber.org/goleak"

	"codemode/gateway"
	"codemode/internal/natstest"
	"codemode/protocol"
	"codemode/subjects"
	"codemode/vm"
	"codemode/worker"
)

func TestMain(m *testing.M) {
	if role := os.Getenv(roleEnv); role != "" {
		os.Exit(replicaMain(role))
	}
	goleak.VerifyTestMain(m)
}

const tenant = "acme"

var sharedEngine = sync.OnceValues(func() (*vm.Engine, error) {
	return vm.New(context.Background(), vm.Options{CacheDir: filepath.Join(os.TempDir(), "codemode-test-cache")})
})

// rig is a server, a ledger and, where wanted, a worker.
type rig struct {
	t   testing.TB
	url string
	nc  *nats.Conn
}

func newRig(t testing.TB) *rig {
	t.Helper()
	return newRigAt(t, natstest.Server(t))
}

func newRigAt(t testing.TB, url string) *rig {
	t.Helper()
	r := &rig{t: t, url: url}
	r.nc = natstest.Connect(t, r.url)
	if err := gateway.EnsureLedger(patience(t), r.nc, subjects.Options{}); err != nil {
		t.Fatal(err)
	}
	return r
}

// worker starts a worker that stops with the test.
func (r *rig) worker() *rig {
	r.t.Helper()
	engine, err := sharedEngine()
	if err != nil {
		r.t.Fatal(err)
	}
	w, err := worker.New(worker.Options{Conn: natstest.Connect(r.t, r.url), Engine: engine, ID: "w", Logger: logger()})
	if err != nil {
		r.t.Fatal(err)
	}
	if err := w.Start(patience(r.t)); err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		defer cancel()
		if err := w.Stop(ctx); err != nil {
			r.t.Errorf("stop worker: %v", err)
		}
	})
	return r
}

func logger() *slog.Logger {
	out := io.Discard
	if testing.Verbose() {
		out = os.Stderr
	}
	return slog.New(slog.NewTextHandler(out, nil))
}

// client makes a client on a connection of its own.
func (r *rig) client(opt gateway.Options) *gateway.Client {
	r.t.Helper()
	return r.clientAt(r.url, opt)
}

func (r *rig) clientAt(url string, opt gateway.Options, more ...nats.Option) *gateway.Client {
	r.t.Helper()
	if opt.Tenant == "" {
		opt.Tenant = tenant
	}
	if opt.Logger == nil {
		opt.Logger = logger()
	}
	nc := natstest.Connect(r.t, url, append([]nats.Option{nats.ReconnectWait(20 * time.Millisecond)}, more...)...)
	c, err := gateway.New(nc, opt)
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() {
		if err := c.Close(); err != nil && !errors.Is(err, gateway.ErrGrace) {
			r.t.Errorf("close: %v", err)
		}
	})
	return c
}

func (r *rig) serve(opt gateway.Options, h gateway.Handler) *gateway.Client {
	r.t.Helper()
	c := r.client(opt)
	if err := c.Serve(h); err != nil {
		r.t.Fatal(err)
	}
	return c
}

func patience(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), 60*time.Second)
	t.Cleanup(cancel)
	return ctx
}

func once(*gateway.Call) gateway.Guard { return gateway.GuardOnce }

// tools is a catalogue of tools by name.
func tools(names ...string) *protocol.Catalog {
	var cat protocol.Catalog
	for _, name := range names {
		cat.Tools = append(cat.Tools, protocol.Tool{Source: protocol.SourceOpenClaw, Name: name})
	}
	return &cat
}

func cell(code string, names ...string) gateway.Cell {
	return gateway.Cell{Code: code, Catalog: tools(names...), Scope: protocol.Scope{SessionID: "s"}}
}

func echo(_ context.Context, call *gateway.Call) (any, error) { return call.Input, nil }

func wantValue(t testing.TB, res protocol.Result, want string) {
	t.Helper()
	if res.Status != protocol.StatusCompleted || string(res.Value) != want {
		t.Fatalf("got %s %s %s %q, want completed %s", res.Status, res.Value, res.Detail, res.Error, want)
	}
}

// send plays the worker's part of a call and gives what comes to the inbox.
func (r *rig) send(ctx context.Context, runID string, n int, tool string, input string) (callID string, answer []byte, err error) {
	callID, data := makeCall(r.t, runID, n, tool, input)
	var names subjects.Names
	msg, err := r.nc.RequestWithContext(ctx, names.Call(tenant, runID, callID), data)
	if err != nil {
		return callID, nil, err
	}
	return callID, msg.Data, nil
}

func makeCall(t testing.TB, runID string, n int, tool, input string) (callID string, data []byte) {
	t.Helper()
	callID, err := protocol.CallID(protocol.MethodCallValue, n, "openclaw:core:"+tool, json.RawMessage(input))
	if err != nil {
		t.Fatal(err)
	}
	data, err = protocol.Marshal(protocol.Call{
		V: protocol.Version, Tenant: tenant, RunID: runID, CallID: callID, Method: protocol.MethodCallValue, Attempt: 1,
		ToolID: "openclaw:core:" + tool, ToolName: tool, Input: json.RawMessage(input), Scope: protocol.Scope{SessionID: "s"},
	})
	if err != nil {
		t.Fatal(err)
	}
	return callID, data
}
