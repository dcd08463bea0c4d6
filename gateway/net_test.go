package gateway_test

import (
	"context"
	"io"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"codemode/subjects"
)

func jetStream(t testing.TB, nc *nats.Conn) jetstream.JetStream {
	t.Helper()
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	return js
}

func ensure(ctx context.Context, t testing.TB, nc *nats.Conn) {
	t.Helper()
	if err := subjects.Ensure(ctx, jetStream(t, nc), subjects.Options{}); err != nil {
		t.Fatal(err)
	}
}

func streamMessages(ctx context.Context, t testing.TB, nc *nats.Conn, name string) uint64 {
	t.Helper()
	s, err := jetStream(t, nc).Stream(ctx, name)
	if err != nil {
		t.Fatal(err)
	}
	return s.CachedInfo().State.Msgs
}

// usersServer has "admin", who may do all, and "user" with the given permissions.
func usersServer(t testing.TB, p server.Permissions) (url string) {
	t.Helper()
	s, err := server.NewServer(&server.Options{
		Host: "127.0.0.1", Port: server.RANDOM_PORT, JetStream: true, StoreDir: t.TempDir(), NoSigs: true, NoLog: true,
		Users: []*server.User{{Username: "admin", Password: "p"}, {Username: "user", Password: "p", Permissions: &p}},
	})
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
	if !s.ReadyForConnections(10 * time.Second) {
		t.Fatal("server is not ready")
	}
	return s.ClientURL()
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

func (l *link) url() string { return "nats://" + l.listener.Addr().String() }

func (l *link) relay(client net.Conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.cut {
		client.Close()
		return
	}
	server, err := net.Dial("tcp", l.to)
	if err != nil {
		client.Close()
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
