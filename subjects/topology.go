package subjects

import (
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"codemode/protocol"
)

// The streams and buckets. They are not below the prefix: two prefixes need two accounts.
const (
	StreamJobs      = "CM_JOBS"
	StreamRuns      = "CM_RUNS"
	StreamEvents    = "CM_EVENTS"
	BucketSnapshots = "CM_SNAPSHOTS"
	BucketCatalogs  = "CM_CATALOGS"
	BucketCalls     = "CM_CALLS" // the gateways' call ledger, see EnsureCalls
)

// The durable pull consumers.
const (
	ConsumerExec   = "exec"   // of StreamJobs
	ConsumerWait   = "wait"   // of StreamJobs
	ConsumerExpiry = "expiry" // of BucketStream(BucketSnapshots): headers only, sees records being written, deleted and expired
)

// Defaults of Options.
const (
	DefaultAckWait          = 10 * time.Second
	DefaultJobsMaxAge       = time.Hour
	DefaultRunsMaxAge       = 25 * time.Hour
	DefaultEventsMaxAge     = 24 * time.Hour
	DefaultJobsMaxBytes     = 1 << 30
	DefaultEventsMaxBytes   = 512 << 20
	DefaultCatalogsMaxBytes = 1 << 30
)

const (
	// A suspended run is kept a day at the most (contract 12.2). The hour on top is for what has to outlive
	// the record: its chunks and the results it waits for.
	snapshotsMaxAge = 25 * time.Hour
	catalogsMaxAge  = 7 * 24 * time.Hour
	// How long the marker of an expired record waits for a worker that tells of it.
	expiryMarkerTTL = time.Hour
	// A claim outlives every run that could repeat its call. The marker of an expired key serves nobody.
	callsMaxAge     = 25 * time.Hour
	callsMarkerTTL  = time.Second
	duplicateWindow = 2 * time.Minute
	expiryAckWait   = 30 * time.Second
	// Both are caps over the whole fleet, and the second cannot be changed later.
	maxAckPending = 100_000
	maxWaiting    = 16_384
)

// Options say what Ensure puts in place. The zero value is one replica with all defaults.
type Options struct {
	Names Names

	// Replicas of every stream: 1 or 3. Defaults to 1 for what is created; 0 leaves what exists as it is.
	Replicas int

	// AckWait is how long the job of a killed worker stands still. Defaults to DefaultAckWait.
	AckWait time.Duration

	// Ages after which messages are dropped. A run parked for longer than RunsMaxAge loses results that
	// came early. Default to the constants above.
	JobsMaxAge, RunsMaxAge, EventsMaxAge time.Duration

	// Sizes in bytes, -1 for no limit but the server's. JetStream reserves what is set, so their sum has to fit
	// its store. Each defaults to the constant of its name, or to no limit, for what is created; 0 leaves
	// what exists as it is.
	JobsMaxBytes, RunsMaxBytes, EventsMaxBytes, SnapshotsMaxBytes, CatalogsMaxBytes, CallsMaxBytes int64
}

func (o Options) withDefaults() (Options, error) {
	if o.Replicas != 0 && o.Replicas != 1 && o.Replicas != 3 {
		return o, fmt.Errorf("replicas is %d, want 1 or 3", o.Replicas)
	}
	for _, d := range []struct {
		name  string
		value *time.Duration
		def   time.Duration
	}{
		{"ack wait", &o.AckWait, DefaultAckWait},
		{"max age of jobs", &o.JobsMaxAge, DefaultJobsMaxAge},
		{"max age of runs", &o.RunsMaxAge, DefaultRunsMaxAge},
		{"max age of events", &o.EventsMaxAge, DefaultEventsMaxAge},
	} {
		if *d.value == 0 {
			*d.value = d.def
		}
		if *d.value < time.Second {
			return o, fmt.Errorf("%s is %s, want 1s or more", d.name, *d.value)
		}
	}
	return o, nil
}

// streamDef is a stream as it shall be. In config a zero MaxBytes or Replicas leaves an existing one alone.
type streamDef struct {
	config   jetstream.StreamConfig
	maxBytes int64 // of a stream that is created with no MaxBytes in config
}

func (d streamDef) initial() jetstream.StreamConfig {
	c := d.config
	if c.MaxBytes == 0 {
		c.MaxBytes = d.maxBytes
	}
	if c.Replicas == 0 {
		c.Replicas = 1
	}
	return c
}

func (o Options) streams() []streamDef {
	n := o.Names
	jobs := o.stream(StreamJobs, n.JobAll(), o.JobsMaxBytes, o.JobsMaxAge)
	jobs.Description = "codemode jobs waiting for a worker"
	jobs.Retention = jetstream.WorkQueuePolicy
	jobs.Discard = jetstream.DiscardNew

	runs := o.stream(StreamRuns, "", o.RunsMaxBytes, o.RunsMaxAge)
	runs.Description = "codemode results of nested calls, and replies"
	runs.Subjects = []string{n.ResultFilter(Any, Any), n.ReplyFilter(Any, Any)}
	runs.Discard = jetstream.DiscardNew
	runs.MaxMsgsPerSubject = 1
	runs.DiscardNewPerSubject = true // the first result, and the first reply, is the one that counts
	runs.AllowMsgTTL = true
	runs.RePublish = &jetstream.RePublish{
		Source:      n.ResultFilter(Any, Any),
		Destination: n.Prefix() + ".live.{{wildcard(1)}}.{{wildcard(2)}}.{{wildcard(3)}}",
	}

	events := o.stream(StreamEvents, n.EventFilter(Any, Any), o.EventsMaxBytes, o.EventsMaxAge)
	events.Description = "codemode steps of runs"

	snapshots := o.bucket(BucketSnapshots, o.SnapshotsMaxBytes, snapshotsMaxAge)
	snapshots.Description = "codemode suspended runs"
	snapshots.AllowMsgTTL = true
	snapshots.SubjectDeleteMarkerTTL = expiryMarkerTTL // the bucket's LimitMarkerTTL

	catalogs := o.bucket(BucketCatalogs, o.CatalogsMaxBytes, catalogsMaxAge)
	catalogs.Description = "codemode tool catalogues by hash"
	catalogs.AllowMsgTTL = true
	catalogs.SubjectDeleteMarkerTTL = expiryMarkerTTL

	return []streamDef{
		{jobs, DefaultJobsMaxBytes},
		{runs, -1},
		{events, DefaultEventsMaxBytes},
		{snapshots, -1},
		{catalogs, DefaultCatalogsMaxBytes},
	}
}

// calls is the gateways' ledger. It is theirs alone: workers neither make nor read it.
func (o Options) calls() streamDef {
	calls := o.bucket(BucketCalls, o.CallsMaxBytes, callsMaxAge)
	calls.Description = "codemode calls that gateways execute at most once, and approvals"
	calls.AllowMsgTTL = true
	calls.SubjectDeleteMarkerTTL = callsMarkerTTL
	return streamDef{calls, -1}
}

func (o Options) stream(name, subject string, maxBytes int64, maxAge time.Duration) jetstream.StreamConfig {
	return jetstream.StreamConfig{
		Name: name, Subjects: []string{subject},
		Retention: jetstream.LimitsPolicy, Discard: jetstream.DiscardOld,
		Storage: jetstream.FileStorage, Replicas: o.Replicas,
		MaxBytes: maxBytes, MaxAge: maxAge, MaxMsgsPerSubject: -1,
		MaxMsgs: -1, MaxConsumers: -1, MaxMsgSize: -1,
		Duplicates:  min(duplicateWindow, maxAge),
		AllowDirect: true,
	}
}

// bucket is the stream the KV API would make: that API cannot be told to leave a setting as it is.
func (o Options) bucket(name string, maxBytes int64, maxAge time.Duration) jetstream.StreamConfig {
	c := o.stream(BucketStream(name), KeySubject(name, ">"), maxBytes, maxAge)
	c.Discard = jetstream.DiscardNew
	c.MaxMsgsPerSubject = 1
	c.AllowRollup, c.DenyDelete = true, true
	return c
}

type consumerDef struct {
	stream string
	config jetstream.ConsumerConfig
}

func (o Options) consumers() []consumerDef {
	job := func(name string, kind protocol.JobKind) consumerDef {
		return consumerDef{StreamJobs, jetstream.ConsumerConfig{
			Durable:       name,
			AckPolicy:     jetstream.AckExplicitPolicy,
			AckWait:       o.AckWait,
			MaxDeliver:    -1, // the worker counts: a job at MaxDeliver would stay, unseen, for ever
			MaxAckPending: maxAckPending,
			MaxWaiting:    maxWaiting,
			FilterSubject: o.Names.JobFilter(kind),
		}}
	}
	expiry := consumerDef{BucketStream(BucketSnapshots), jetstream.ConsumerConfig{
		Durable:       ConsumerExpiry,
		AckPolicy:     jetstream.AckExplicitPolicy,
		AckWait:       expiryAckWait,
		MaxDeliver:    -1,
		MaxAckPending: maxAckPending,
		MaxWaiting:    maxWaiting,
		FilterSubject: KeySubject(BucketSnapshots, "*.*"), // records alone
		HeadersOnly:   true,
	}}
	return []consumerDef{job(ConsumerExec, protocol.JobExec), job(ConsumerWait, protocol.JobWait), expiry}
}
