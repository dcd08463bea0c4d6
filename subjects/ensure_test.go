package subjects_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"go.uber.org/goleak"

	"codemode/internal/natstest"
	"codemode/subjects"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m)
}

func jetStream(t testing.TB, nc *nats.Conn) jetstream.JetStream {
	t.Helper()
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	return js
}

func within(t testing.TB, d time.Duration) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), d)
	t.Cleanup(cancel)
	return ctx
}

func stream(ctx context.Context, t *testing.T, js jetstream.JetStream, name string) jetstream.StreamConfig {
	t.Helper()
	s, err := js.Stream(ctx, name)
	if err != nil {
		t.Fatalf("stream %s: %v", name, err)
	}
	return s.CachedInfo().Config
}

func consumer(ctx context.Context, t *testing.T, js jetstream.JetStream, of, name string) jetstream.ConsumerConfig {
	t.Helper()
	c, err := js.Consumer(ctx, of, name)
	if err != nil {
		t.Fatalf("consumer %s: %v", name, err)
	}
	return c.CachedInfo().Config
}

func TestEnsureMakesTheTopologyFromManyWorkers(t *testing.T) {
	t.Parallel()
	url, ctx := natstest.Server(t), within(t, time.Minute)
	fleet(ctx, t, 8, func(int) string { return url }, subjects.Options{})

	js := jetStream(t, natstest.Connect(t, url))
	jobs := stream(ctx, t, js, subjects.StreamJobs)
	if jobs.Retention != jetstream.WorkQueuePolicy || jobs.Discard != jetstream.DiscardNew || jobs.MaxAge != time.Hour || jobs.MaxBytes != 1<<30 ||
		jobs.Duplicates != 2*time.Minute || jobs.Storage != jetstream.FileStorage || jobs.Replicas != 1 || jobs.Subjects[0] != "cm.job.*.*" {
		t.Errorf("jobs: %+v", jobs)
	}
	runs := stream(ctx, t, js, subjects.StreamRuns)
	if runs.MaxMsgsPerSubject != 1 || !runs.DiscardNewPerSubject || !runs.AllowDirect || !runs.AllowMsgTTL || runs.MaxAge != 25*time.Hour ||
		strings.Join(runs.Subjects, " ") != "cm.run.*.*.result.* cm.run.*.*.reply.*" || runs.RePublish == nil || runs.RePublish.Source != "cm.run.*.*.result.*" {
		t.Errorf("runs: %+v", runs)
	}
	events := stream(ctx, t, js, subjects.StreamEvents)
	if events.Retention != jetstream.LimitsPolicy || events.Discard != jetstream.DiscardOld || events.MaxAge != 24*time.Hour || events.MaxBytes != 512<<20 || !events.AllowDirect {
		t.Errorf("events: %+v", events)
	}
	for name, filter := range map[string]string{subjects.ConsumerExec: "cm.job.exec.*", subjects.ConsumerWait: "cm.job.wait.*"} {
		c := consumer(ctx, t, js, subjects.StreamJobs, name)
		if c.FilterSubject != filter || c.AckPolicy != jetstream.AckExplicitPolicy || c.AckWait != 10*time.Second || c.MaxDeliver != -1 || len(c.BackOff) != 0 ||
			c.MaxAckPending < 10_000 || c.MaxWaiting < 8192 {
			t.Errorf("consumer %s: %+v", name, c)
		}
	}
	if c := consumer(ctx, t, js, "KV_CM_SNAPSHOTS", subjects.ConsumerExpiry); !c.HeadersOnly || c.FilterSubject != "$KV.CM_SNAPSHOTS.*.*" {
		t.Errorf("consumer expiry: %+v", c)
	}
	for bucket, ttl := range map[string]time.Duration{subjects.BucketSnapshots: 25 * time.Hour, subjects.BucketCatalogs: 7 * 24 * time.Hour} {
		kv, err := js.KeyValue(ctx, bucket)
		if err != nil {
			t.Fatal(err)
		}
		status, err := kv.Status(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if status.TTL() != ttl || status.History() != 1 || status.LimitMarkerTTL() != time.Hour {
			t.Errorf("bucket %s: ttl %s, history %d, marker %s", bucket, status.TTL(), status.History(), status.LimitMarkerTTL())
		}
	}
}

// fleet ensures from n connections at once.
func fleet(ctx context.Context, t *testing.T, n int, url func(int) string, opts subjects.Options) {
	t.Helper()
	var wg sync.WaitGroup
	for i := range n {
		js := jetStream(t, natstest.Connect(t, url(i)))
		wg.Go(func() {
			if err := subjects.Ensure(ctx, js, opts); err != nil {
				t.Errorf("worker %d: %v", i, err)
			}
		})
	}
	wg.Wait()
}

func TestEnsureOnThreeReplicas(t *testing.T) {
	t.Parallel()
	c, ctx := natstest.Cluster(t, 3), within(t, 2*time.Minute)
	fleet(ctx, t, 6, func(i int) string { return c.URL(i % 3) }, subjects.Options{Replicas: 3})
	js := jetStream(t, natstest.Connect(t, c.URLs()))
	if got := stream(ctx, t, js, subjects.StreamRuns).Replicas; got != 3 {
		t.Errorf("%d replicas, want 3", got)
	}
	// Replicas 0 leaves them: a worker with no setting must not scale the store down.
	if err := subjects.Ensure(ctx, js, subjects.Options{}); err != nil {
		t.Fatal(err)
	}
	if got := stream(ctx, t, js, subjects.StreamRuns).Replicas; got != 3 {
		t.Errorf("%d replicas after a second worker, want 3", got)
	}
	firstCounts(ctx, t, js)
}

func TestEnsureTwiceChangesNothing(t *testing.T) {
	t.Parallel()
	nc, ctx := natstest.Connect(t, natstest.Server(t)), within(t, time.Minute)
	js := jetStream(t, nc)
	if err := subjects.Ensure(ctx, js, subjects.Options{}); err != nil {
		t.Fatal(err)
	}
	changes, err := nc.SubscribeSync("$JS.API.*.*.>")
	if err != nil {
		t.Fatal(err)
	}
	if err := subjects.Ensure(ctx, js, subjects.Options{}); err != nil {
		t.Fatal(err)
	}
	requests := 0
	for {
		m, err := changes.NextMsg(50 * time.Millisecond)
		if errors.Is(err, nats.ErrTimeout) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		requests++
		if !strings.Contains(m.Subject, ".INFO.") {
			t.Errorf("the second Ensure asked for %s", m.Subject)
		}
	}
	if requests != 8 {
		t.Errorf("%d requests, want one for each of 5 streams and 3 consumers", requests)
	}
}

func TestEnsureUpdatesWhatMayChange(t *testing.T) {
	t.Parallel()
	js, ctx := jetStream(t, natstest.Connect(t, natstest.Server(t))), within(t, time.Minute)
	if err := subjects.Ensure(ctx, js, subjects.Options{JobsMaxBytes: 64 << 20}); err != nil {
		t.Fatal(err)
	}
	// An operator's own settings on fields that are not ours stay.
	own := stream(ctx, t, js, subjects.StreamJobs)
	own.Compression, own.Description = jetstream.S2Compression, "ours"
	if _, err := js.UpdateStream(ctx, own); err != nil {
		t.Fatal(err)
	}
	if err := subjects.Ensure(ctx, js, subjects.Options{AckWait: 4 * time.Second, EventsMaxAge: 2 * time.Hour, RunsMaxBytes: 1 << 20}); err != nil {
		t.Fatal(err)
	}
	if got := consumer(ctx, t, js, subjects.StreamJobs, subjects.ConsumerExec).AckWait; got != 4*time.Second {
		t.Errorf("ack wait %s, want 4s", got)
	}
	if got := stream(ctx, t, js, subjects.StreamEvents).MaxAge; got != 2*time.Hour {
		t.Errorf("max age of events %s, want 2h", got)
	}
	if got := stream(ctx, t, js, subjects.StreamRuns).MaxBytes; got != 1<<20 {
		t.Errorf("max bytes of runs %d, want 1 MiB", got)
	}
	if got := stream(ctx, t, js, subjects.StreamJobs); got.MaxBytes != 64<<20 || got.Compression != jetstream.S2Compression || got.Description != "ours" {
		t.Errorf("settings that were not asked for changed: %+v", got)
	}
}

func TestEnsureSaysWhatDiffers(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		there func(context.Context, jetstream.JetStream) error
		want  []string
	}{
		"storage": {func(ctx context.Context, js jetstream.JetStream) error {
			_, err := js.CreateStream(ctx, jetstream.StreamConfig{Name: subjects.StreamEvents, Subjects: []string{"cm.event.*.*.*"}, Storage: jetstream.MemoryStorage})
			return err
		}, []string{"stream CM_EVENTS", "storage is Memory, want File"}},
		"retention": {func(ctx context.Context, js jetstream.JetStream) error {
			_, err := js.CreateStream(ctx, jetstream.StreamConfig{Name: subjects.StreamJobs, Subjects: []string{"cm.job.*.*"}})
			return err
		}, []string{"stream CM_JOBS", "retention is Limits, want WorkQueue"}},
		"prefix": {func(ctx context.Context, js jetstream.JetStream) error {
			n, err := subjects.New("dev")
			return errors.Join(err, subjects.Ensure(ctx, js, subjects.Options{Names: n}))
		}, []string{"stream CM_JOBS", "subjects is [dev.job.*.*], want [cm.job.*.*]"}},
		"max waiting": {func(ctx context.Context, js jetstream.JetStream) error {
			_, err := js.CreateStream(ctx, jetstream.StreamConfig{Name: subjects.StreamJobs, Subjects: []string{"cm.job.*.*"}, Retention: jetstream.WorkQueuePolicy})
			if err != nil {
				return err
			}
			_, err = js.CreateConsumer(ctx, subjects.StreamJobs, jetstream.ConsumerConfig{
				Durable: "wait", AckPolicy: jetstream.AckExplicitPolicy, FilterSubject: "cm.job.wait.*", MaxWaiting: 512,
			})
			return err
		}, []string{"consumer wait of stream CM_JOBS", "max_waiting is 512, want 16384"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			js, ctx := jetStream(t, natstest.Connect(t, natstest.Server(t))), within(t, time.Minute)
			if err := c.there(ctx, js); err != nil {
				t.Fatal(err)
			}
			err := subjects.Ensure(ctx, js, subjects.Options{})
			if !errors.Is(err, subjects.ErrDiffers) {
				t.Fatalf("got %v, want ErrDiffers", err)
			}
			for _, w := range c.want {
				if !strings.Contains(err.Error(), w) {
					t.Errorf("%q does not say %q", err, w)
				}
			}
		})
	}
}

func TestEnsureChecksItsOptions(t *testing.T) {
	t.Parallel()
	js := jetStream(t, natstest.Connect(t, natstest.Server(t)))
	for want, opts := range map[string]subjects.Options{
		"replicas is 2":                  {Replicas: 2},
		"ack wait is 1ms":                {AckWait: time.Millisecond},
		"max age of jobs is -1s":         {JobsMaxAge: -time.Second},
		"replicas > 1 not supported":     {Replicas: 3},
		"insufficient storage resources": {RunsMaxBytes: 1 << 60},
	} {
		if err := subjects.Ensure(within(t, 20*time.Second), js, opts); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

// bare starts a server with options of the test's own.
func bare(t *testing.T, opts *server.Options) string {
	t.Helper()
	opts.Host, opts.Port, opts.NoLog, opts.NoSigs, opts.StoreDir = "127.0.0.1", server.RANDOM_PORT, true, true, t.TempDir()
	s, err := server.NewServer(opts)
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

func TestEnsureWithoutJetStream(t *testing.T) {
	t.Parallel()
	err := subjects.Ensure(within(t, time.Minute), jetStream(t, natstest.Connect(t, bare(t, &server.Options{}))), subjects.Options{})
	if !errors.Is(err, subjects.ErrNoJetStream) {
		t.Errorf("server without JetStream: %v", err)
	}

	account := server.NewAccount("plain")
	url := bare(t, &server.Options{JetStream: true, Accounts: []*server.Account{account}, Users: []*server.User{{Username: "u", Password: "p", Account: account}}})
	err = subjects.Ensure(within(t, time.Minute), jetStream(t, natstest.Connect(t, url, nats.UserInfo("u", "p"))), subjects.Options{})
	if !errors.Is(err, subjects.ErrNoJetStream) {
		t.Errorf("account without JetStream: %v", err)
	}
}

func TestEnsureWithoutPermission(t *testing.T) {
	t.Parallel()
	for name, p := range map[string]*server.Permissions{
		"api":   {Publish: &server.SubjectPermission{Deny: []string{"$JS.API.STREAM.CREATE.*"}}},
		"inbox": {Subscribe: &server.SubjectPermission{Allow: []string{"cm.>"}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url := bare(t, &server.Options{JetStream: true, Users: []*server.User{{Username: "u", Password: "p", Permissions: p}}})
			nc := natstest.Connect(t, url, nats.UserInfo("u", "p"), nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}))
			err := subjects.Ensure(within(t, time.Minute), jetStream(t, nc), subjects.Options{})
			if !errors.Is(err, subjects.ErrNotPermitted) || !strings.Contains(err.Error(), "stream CM_JOBS") {
				t.Errorf("got %v, want ErrNotPermitted for CM_JOBS", err)
			}
		})
	}
}

func TestEnsureOfWhatIsThereOnlyLooks(t *testing.T) {
	t.Parallel()
	look := &server.Permissions{
		Publish:   &server.SubjectPermission{Allow: []string{"$JS.API.STREAM.INFO.*", "$JS.API.CONSUMER.INFO.*.*"}},
		Subscribe: &server.SubjectPermission{Allow: []string{"_INBOX.>"}},
	}
	url, ctx := bare(t, &server.Options{JetStream: true, Users: []*server.User{{Username: "admin", Password: "p"}, {Username: "looker", Password: "p", Permissions: look}}}), within(t, time.Minute)
	for _, user := range []string{"admin", "looker"} {
		if err := subjects.Ensure(ctx, jetStream(t, natstest.Connect(t, url, nats.UserInfo(user, "p"))), subjects.Options{}); err != nil {
			t.Errorf("%s: %v", user, err)
		}
	}
}

func TestEnsureGivesUpWithItsContext(t *testing.T) {
	t.Parallel()
	c := natstest.Cluster(t, 3)
	c.Stop(0)
	c.Stop(1)
	js := jetStream(t, natstest.Connect(t, c.URL(2)))
	err := subjects.Ensure(within(t, 2*time.Second), js, subjects.Options{Replicas: 3})
	if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "stream CM_JOBS") {
		t.Errorf("a cluster without a quorum: %v", err)
	}
	// It is what a worker meets that starts before the cluster is ready.
	done := make(chan error, 1)
	ctx := within(t, 3*time.Minute)
	go func() { done <- subjects.Ensure(ctx, js, subjects.Options{Replicas: 3}) }()
	c.Start(0, 1)
	if err := <-done; err != nil {
		t.Errorf("after the cluster has come back: %v", err)
	}
}

func TestEnsureCallsMakesTheLedgerAlone(t *testing.T) {
	t.Parallel()
	js, ctx := jetStream(t, natstest.Connect(t, natstest.Server(t))), within(t, time.Minute)
	for range 2 {
		if err := subjects.EnsureCalls(ctx, js, subjects.Options{}); err != nil {
			t.Fatal(err)
		}
	}
	c := stream(ctx, t, js, "KV_CM_CALLS")
	if c.MaxMsgsPerSubject != 1 || c.MaxAge != 25*time.Hour || !c.AllowMsgTTL || !c.AllowDirect || c.SubjectDeleteMarkerTTL != time.Second || c.Subjects[0] != "$KV.CM_CALLS.>" {
		t.Errorf("ledger: %+v", c)
	}
	if _, err := js.Stream(ctx, subjects.StreamJobs); !errors.Is(err, jetstream.ErrStreamNotFound) {
		t.Errorf("jobs: %v, want nothing but the ledger", err)
	}
	if err := subjects.EnsureCalls(ctx, js, subjects.Options{Replicas: 2}); err == nil {
		t.Error("two replicas were taken")
	}
}

// BenchmarkEnsureInPlace is what a worker's start pays where nothing is to be done.
func BenchmarkEnsureInPlace(b *testing.B) {
	js, ctx := jetStream(b, natstest.Connect(b, natstest.Server(b))), within(b, time.Minute)
	for b.Loop() {
		if err := subjects.Ensure(ctx, js, subjects.Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
