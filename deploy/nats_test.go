// Package deploy_test checks that what is deployed works with what it is deployed for.
package deploy_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"go.uber.org/goleak"

	"codemode/internal/natstest"
	"codemode/protocol"
	"codemode/subjects"
)

const (
	run  = "cm_0123456789abcdef"
	call = "call-1-0a1b2c3d"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m)
}

// start runs a server with the file's configuration but for its ports and its folder.
func start(t *testing.T, file string) (url string, opts *server.Options) {
	t.Helper()
	opts, err := server.ProcessConfigFile(file)
	if err != nil {
		t.Fatal(err)
	}
	loaded := *opts
	opts.Port, opts.HTTPPort, opts.StoreDir = server.RANDOM_PORT, server.RANDOM_PORT, t.TempDir()
	opts.NoLog, opts.NoSigs = true, true
	s, err := server.NewServer(opts)
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
	if !s.ReadyForConnections(10 * time.Second) {
		t.Fatal("the server is not ready")
	}
	return s.ClientURL(), &loaded
}

func ensured(t *testing.T, nc *nats.Conn) (context.Context, jetstream.JetStream) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	if err := subjects.Ensure(ctx, js, subjects.Options{}); err != nil {
		t.Fatal(err)
	}
	return ctx, js
}

func TestConfigurationWorksAsItIs(t *testing.T) {
	url, opts := start(t, "nats.conf")
	if opts.MaxPayload != 16<<20 || opts.Host != "127.0.0.1" || opts.Port != 4222 || opts.HTTPHost != "127.0.0.1" || opts.HTTPPort != 8222 ||
		!opts.JetStream || opts.StoreDir != "nats-data" || opts.JetStreamMaxStore != 16<<30 || opts.SyncInterval != 10*time.Second {
		t.Errorf("read as %+v", opts)
	}
	ensured(t, natstest.Connect(t, url))
}

// TestPermissionsNameEveryStream keeps the file in step with the names the code uses.
func TestPermissionsNameEveryStream(t *testing.T) {
	text := read(t)
	for _, name := range []string{
		subjects.StreamJobs, subjects.StreamRuns, subjects.StreamEvents,
		subjects.BucketStream(subjects.BucketSnapshots), subjects.BucketStream(subjects.BucketCatalogs),
	} {
		if !strings.Contains(text, "$JS.API.STREAM.*."+name+`"`) {
			t.Errorf("workers have no right to stream %s", name)
		}
	}
}

func read(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("nats.conf")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// users starts the server with the users switched on and a second tenant beside acme.
func users(t *testing.T) (url string) {
	t.Helper()
	text := regexp.MustCompile(`(?m)^#: `).ReplaceAllString(read(t), "")
	if strings.Contains(text, "\n#:") {
		t.Fatal("some lines are still switched off")
	}
	acme := regexp.MustCompile(`(?s)    \{\n      user: "acme".*?\n    \}\n`).FindString(text)
	if acme == "" {
		t.Fatal("the gateway's block is not found")
	}
	text = strings.Replace(text, acme, acme+strings.ReplaceAll(strings.ReplaceAll(acme, "acme", "other"), "ACME", "OTHER"), 1)
	for _, name := range []string{"WORKER", "ACME", "OTHER"} {
		t.Setenv("CM_"+name+"_PASSWORD", "pw-"+strings.ToLower(name))
	}
	file := filepath.Join(t.TempDir(), "nats.conf")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	url, _ = start(t, file)
	return url
}

// client connects as a user; what the server denies comes on the channel.
func client(t *testing.T, url, user string) (*nats.Conn, chan error) {
	t.Helper()
	denied := make(chan error, 64)
	nc := natstest.Connect(t, url, nats.UserInfo(user, "pw-"+user), nats.CustomInboxPrefix("_INBOX."+user),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { denied <- err }))
	return nc, denied
}

func TestUsersNeedTheirPassword(t *testing.T) {
	url := users(t)
	for _, user := range []string{"worker", "acme"} {
		if nc, err := nats.Connect(url, nats.UserInfo(user, "wrong")); !errors.Is(err, nats.ErrAuthorization) {
			if err == nil {
				nc.Close()
			}
			t.Errorf("%s with a wrong password: %v", user, err)
		}
	}
}

// TestUsersCanDoTheirWork goes once through all that workers and gateways do with one another.
func TestUsersCanDoTheirWork(t *testing.T) {
	url := users(t)
	worker, workerDenied := client(t, url, "worker")
	gateway, gatewayDenied := client(t, url, "acme")
	ctx, js := ensured(t, worker)
	var n subjects.Names
	gjs, err := jetstream.New(gateway)
	if err != nil {
		t.Fatal(err)
	}
	must := func(what string, err error) {
		t.Helper()
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
	}

	calls, err := gateway.QueueSubscribeSync(n.CallFilter("acme", subjects.Any), "gateways")
	must("subscribe to calls", err)
	replies, err := gateway.SubscribeSync(n.ReplyFilter("acme", run))
	must("subscribe to replies", err)
	events, err := gateway.SubscribeSync(n.EventFilter("acme", run))
	must("subscribe to events", err)
	must("flush", gateway.FlushWithContext(ctx))
	_, err = gjs.Publish(ctx, subjects.KeySubject(subjects.BucketCatalogs, n.CatalogKey("acme", "00ff")), []byte("catalogue"))
	must("store a catalogue", err)
	_, err = gjs.Publish(ctx, n.Job(protocol.JobExec, "acme"), []byte("job"))
	must("publish a job", err)

	consumer, err := js.Consumer(ctx, subjects.StreamJobs, subjects.ConsumerExec)
	must("bind the consumer", err)
	job, err := consumer.Next(jetstream.FetchContext(ctx))
	must("take the job", err)
	must("stay on it", job.InProgress())
	catalogs, err := js.KeyValue(ctx, subjects.BucketCatalogs)
	must("bind the catalogues", err)
	entry, err := catalogs.Get(ctx, n.CatalogKey("acme", "00ff"))
	must("get the catalogue", err)
	if string(entry.Value()) != "catalogue" {
		t.Errorf("catalogue %q", entry.Value())
	}
	_, err = js.Publish(ctx, n.Event("acme", run, protocol.EventStarted), nil)
	must("publish an event", err)
	_, err = events.NextMsgWithContext(ctx)
	must("see the event", err)

	live, err := worker.SubscribeSync(n.Live("acme", run, subjects.Any))
	must("subscribe to results", err)
	answered := make(chan error, 1)
	go func() {
		msg, err := calls.NextMsgWithContext(ctx)
		if err == nil {
			err = msg.Respond(nil)
		}
		answered <- err
	}()
	_, err = worker.RequestWithContext(ctx, n.Call("acme", run, call), []byte("call"))
	must("call", err)
	must("answer", <-answered)
	_, err = gjs.Publish(ctx, n.Result("acme", run, call), []byte("result"))
	must("store the result", err)
	_, err = live.NextMsgWithContext(ctx)
	must("see the result", err)

	snapshots, err := js.KeyValue(ctx, subjects.BucketSnapshots)
	must("bind the snapshots", err)
	_, err = snapshots.Create(ctx, n.SnapshotKey("acme", run), []byte("state"), jetstream.KeyTTL(time.Minute))
	must("park", err)
	keys, err := snapshots.ListKeysFiltered(ctx, "acme.*")
	must("list the parked", err)
	for key := range keys.Keys() {
		if key != n.SnapshotKey("acme", run) {
			t.Errorf("listed %s", key)
		}
	}
	must("delete the record", snapshots.Purge(ctx, n.SnapshotKey("acme", run)))
	runs, err := js.Stream(ctx, subjects.StreamRuns)
	must("bind the runs", err)
	_, err = runs.GetLastMsgForSubject(ctx, n.Result("acme", run, call))
	must("get the result", err)
	_, err = js.Publish(ctx, n.Reply("acme", run, "j"), []byte("reply"))
	must("reply", err)
	must("purge the results", runs.Purge(ctx, jetstream.WithPurgeSubject(n.ResultFilter("acme", run))))
	must("ack", job.DoubleAck(ctx))
	_, err = replies.NextMsgWithContext(ctx)
	must("see the reply", err)
	got, err := gateway.RequestWithContext(ctx, "$JS.API.DIRECT.GET.CM_RUNS."+n.Reply("acme", run, "j"), nil)
	must("get the reply", err)
	if string(got.Data) != "reply" {
		t.Errorf("got reply %q %v", got.Data, got.Header)
	}

	_, err = worker.QueueSubscribe(n.ServiceFilter(protocol.VerbStatus), "q", func(m *nats.Msg) { _ = m.Respond([]byte("status")) })
	must("serve", err)
	must("flush", worker.FlushWithContext(ctx))
	_, err = gateway.RequestWithContext(ctx, n.Service(protocol.VerbStatus, "acme"), nil)
	must("ask for the status", err)
	aborts, err := worker.SubscribeSync(n.AbortAll())
	must("subscribe to aborts", err)
	must("flush", worker.FlushWithContext(ctx))
	must("abort", gateway.Publish(n.AbortRun("acme", run), nil))
	_, err = aborts.NextMsgWithContext(ctx)
	must("see the abort", err)
	select {
	case err := <-workerDenied:
		t.Errorf("worker: %v", err)
	case err := <-gatewayDenied:
		t.Errorf("gateway: %v", err)
	default:
	}
}

func TestGatewayReadsNothingOfAnotherTenant(t *testing.T) {
	url := users(t)
	worker, _ := client(t, url, "worker")
	ctx, js := ensured(t, worker)
	var n subjects.Names
	if _, err := js.Publish(ctx, n.Reply("other", run, "j"), []byte("secret")); err != nil {
		t.Fatal(err)
	}
	gateway, denied := client(t, url, "acme")
	for _, subject := range []string{
		">", "cm.>", "_INBOX.>", "_INBOX.other.>", "_INBOX.worker.>", n.CallFilter("other", subjects.Any), n.CallFilter(subjects.Any, subjects.Any),
		n.ReplyFilter("other", run), n.EventFilter("other", run), n.EventFilter(subjects.Any, subjects.Any), n.LiveAll(), n.JobAll(), n.AbortAll(),
		n.ServiceFilter(protocol.VerbStatus), "$KV.>", "$JS.>", "$SRV.>",
	} {
		if _, err := gateway.SubscribeSync(subject); err != nil {
			t.Fatal(err)
		}
		wantDenied(ctx, t, denied, subject)
	}
	for _, subject := range []string{
		n.Job(protocol.JobExec, "other"), n.Result("other", run, call), n.Reply("acme", run, "j"), n.Service(protocol.VerbAbort, "other"), n.AbortRun("other", run),
		n.Event("acme", run, protocol.EventStarted), n.Live("acme", run, call),
		"$JS.API.DIRECT.GET.CM_RUNS." + n.Reply("other", run, "j"), "$JS.API.DIRECT.GET.CM_RUNS", "$JS.API.STREAM.MSG.GET.CM_RUNS",
		"$JS.API.DIRECT.GET.KV_CM_SNAPSHOTS.$KV.CM_SNAPSHOTS.acme." + run, "$KV.CM_SNAPSHOTS.acme." + run, "$KV.CM_CATALOGS.other.00ff",
		"$JS.API.DIRECT.GET.KV_CM_CATALOGS.$KV.CM_CATALOGS.other.00ff", "$JS.API.CONSUMER.CREATE.CM_RUNS", "$JS.API.CONSUMER.MSG.NEXT.CM_JOBS.exec",
		"$JS.API.STREAM.INFO.CM_RUNS", "$JS.API.STREAM.PURGE.CM_JOBS", "$JS.API.STREAM.DELETE.CM_JOBS", "$JS.API.STREAM.NAMES",
	} {
		if err := gateway.Publish(subject, nil); err != nil {
			t.Fatal(err)
		}
		wantDenied(ctx, t, denied, subject)
	}
}

func TestWorkerCannotDeleteStreams(t *testing.T) {
	url := users(t)
	worker, denied := client(t, url, "worker")
	ctx, _ := ensured(t, worker)
	for _, subject := range []string{"$JS.API.STREAM.DELETE.CM_RUNS", "$JS.API.CONSUMER.DELETE.CM_JOBS.exec", "$JS.API.STREAM.CREATE.MINE"} {
		if err := worker.Publish(subject, nil); err != nil {
			t.Fatal(err)
		}
		wantDenied(ctx, t, denied, subject)
	}
}

func wantDenied(ctx context.Context, t *testing.T, denied chan error, subject string) {
	t.Helper()
	select {
	case err := <-denied:
		if !errors.Is(err, nats.ErrPermissionViolation) || !strings.Contains(err.Error(), subject) {
			t.Errorf("%s: got %v, want a violation that names it", subject, err)
		}
	case <-ctx.Done():
		t.Fatalf("%s is not denied", subject)
	}
}
