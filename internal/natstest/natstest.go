// Package natstest gives tests a NATS server with JetStream, or a cluster of them: on free loopback ports,
// with a temporary store, and gone when the test ends.
package natstest

import (
	"testing"

	"github.com/nats-io/nats.go"

	"codemode/internal/natsembed"
)

// Server starts a server for the test and returns its URL.
func Server(t testing.TB) (url string) {
	t.Helper()
	srv, err := natsembed.Start(natsembed.Options{StoreDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(srv.Shutdown)
	return srv.URL()
}

// Connect connects for the duration of the test. The options come after the package's own, which make the
// client go on trying for ever when the connection is lost.
func Connect(t testing.TB, url string, opts ...nats.Option) *nats.Conn {
	t.Helper()
	nc, err := nats.Connect(url, append([]nats.Option{nats.MaxReconnects(-1)}, opts...)...)
	if err != nil {
		t.Fatalf("connect to %s: %v", url, err)
	}
	t.Cleanup(nc.Close)
	return nc
}
