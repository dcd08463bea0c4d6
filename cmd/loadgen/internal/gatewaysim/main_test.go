package gatewaysim_test

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"go.uber.org/goleak"

	"codemode/cmd/loadgen/internal/gatewaysim"
	"codemode/internal/natstest"
	"codemode/protocol"
	"codemode/subjects"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m)
}

const tenant = "acme"

var names subjects.Names

// pool is the test's side: it plays the worker.
type pool struct {
	t    testing.TB
	url  string
	nc   *nats.Conn
	js   jetstream.JetStream
	jobs chan *nats.Msg // as they are stored
}

func newPool(t testing.TB) *pool {
	t.Helper()
	p := &pool{t: t, url: natstest.Server(t), jobs: make(chan *nats.Msg, 1024)}
	p.nc = natstest.Connect(t, p.url)
	var err error
	if p.js, err = jetstream.New(p.nc); err != nil {
		t.Fatal(err)
	}
	if err := subjects.Ensure(t.Context(), p.js, subjects.Options{}); err != nil {
		t.Fatal(err)
	}
	if _, err := p.nc.ChanSubscribe(names.JobAll(), p.jobs); err != nil {
		t.Fatal(err)
	}
	if err := p.nc.Flush(); err != nil {
		t.Fatal(err)
	}
	return p
}

func (p *pool) gateway(url string, tools ...gatewaysim.Tool) *gatewaysim.Gateway {
	p.t.Helper()
	g, err := gatewaysim.Start(p.t.Context(), gatewaysim.Options{URL: url, Tenant: tenant, Tools: tools})
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(g.Close)
	return g
}

// job takes the next job.
func (p *pool) job(ctx context.Context) (*nats.Msg, protocol.Job) {
	p.t.Helper()
	select {
	case msg := <-p.jobs:
		kind, _, _ := names.ParseJob(msg.Subject)
		job, err := protocol.DecodeJob(kind, msg.Data)
		if err != nil {
			p.t.Fatal(err)
		}
		return msg, job
	case <-ctx.Done():
		p.t.Fatal("no job came")
		return nil, protocol.Job{}
	}
}

// reply stores the reply to a job.
func (p *pool) reply(job protocol.Job, res protocol.Result) {
	data, err := protocol.Marshal(protocol.Reply{V: protocol.Version, Tenant: tenant, RunID: job.RunID, JobID: job.JobID, Result: res, Worker: "w"})
	if err != nil {
		p.t.Error(err)
	}
	if _, err := p.js.Publish(context.Background(), names.Reply(tenant, job.RunID, job.JobID), data); err != nil {
		p.t.Error(err)
	}
}

var completed = protocol.Result{Status: protocol.StatusCompleted, Value: json.RawMessage("7"), Telemetry: protocol.NewTelemetry(1)}

func patience(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	t.Cleanup(cancel)
	return ctx
}

type answered struct {
	gatewaysim.Answer
	err error
}

// later runs f beside the test.
func later(f func() (gatewaysim.Answer, error)) <-chan answered {
	out := make(chan answered, 1)
	go func() {
		a, err := f()
		out <- answered{a, err}
	}()
	return out
}

// link is a TCP relay to a server that can be cut and mended.
type link struct {
	listener net.Listener
	to       string
	relays   sync.WaitGroup

	mu    sync.Mutex
	cut   bool
	conns []net.Conn
}

func newLink(t testing.TB, to string) *link {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := &link{listener: listener, to: to}
	l.relays.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			l.relay(conn)
		}
	})
	t.Cleanup(func() {
		listener.Close()
		l.set(true)
		l.relays.Wait()
	})
	return l
}

func (l *link) relay(client net.Conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	server, err := net.Dial("tcp", l.to)
	if l.cut || err != nil {
		client.Close()
		if err == nil {
			server.Close()
		}
		return
	}
	l.conns = append(l.conns, client, server)
	for _, way := range [][2]net.Conn{{client, server}, {server, client}} {
		l.relays.Go(func() {
			_, _ = io.Copy(way[0], way[1]) // ends with either connection
			way[0].Close()
			way[1].Close()
		})
	}
}

// set cuts the link or mends it.
func (l *link) set(cut bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.cut = cut
	for _, c := range l.conns {
		c.Close()
	}
	l.conns = nil
}
