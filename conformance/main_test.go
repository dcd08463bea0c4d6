package conformance

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"go.uber.org/goleak"
)

// serverURL is the NATS server of all tests; each has a tenant of its own.
var serverURL string

func TestMain(m *testing.M) { os.Exit(testMain(m)) }

func testMain(m *testing.M) int {
	dir, err := os.MkdirTemp("", "conformance")
	if err != nil {
		return failMain(err)
	}
	defer os.RemoveAll(dir)
	srv, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: server.RANDOM_PORT, JetStream: true, StoreDir: dir, NoSigs: true, NoLog: true})
	if err != nil {
		return failMain(err)
	}
	srv.Start()
	if !srv.ReadyForConnections(10 * time.Second) {
		return failMain(fmt.Errorf("server is not ready"))
	}
	serverURL = srv.ClientURL()
	if err := provision(); err != nil {
		return failMain(err)
	}
	code := m.Run()
	srv.Shutdown()
	srv.WaitForShutdown()
	if err := goleak.Find(); err != nil && code == 0 {
		return failMain(err)
	}
	return code
}

func failMain(err error) int {
	fmt.Fprintln(os.Stderr, err)
	return 1
}

// provision makes the streams that a gateway publishes to.
func provision() error {
	conn, err := nats.Connect(serverURL)
	if err != nil {
		return err
	}
	defer conn.Close()
	js, err := jetstream.New(conn)
	if err != nil {
		return err
	}
	for _, s := range []jetstream.StreamConfig{
		{Name: "CM_JOBS", Subjects: []string{"cm.job.*.*"}, Retention: jetstream.WorkQueuePolicy},
		{Name: "CM_RUNS", Subjects: []string{"cm.run.*.*.result.*", "cm.run.*.*.reply.*"}},
		{Name: "KV_CM_CATALOGS", Subjects: []string{"$KV.CM_CATALOGS.>"}, MaxMsgsPerSubject: 1, AllowDirect: true},
	} {
		s.Storage = jetstream.MemoryStorage
		if _, err := js.CreateStream(context.Background(), s); err != nil {
			return err
		}
	}
	return nil
}

func dial(t *testing.T) *nats.Conn {
	t.Helper()
	conn, err := nats.Connect(serverURL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	return conn
}
