package worker

import (
	"context"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"

	"codemode/protocol"
)

const scopeName = "codemode/worker"

func tracer() trace.Tracer { return otel.Tracer(scopeName) }

// metrics are the worker's instruments (contract 16.2). None of them carries anything of a run but the
// kind of what happened.
type metrics struct {
	jobs, results, drops, calls, searches, describes, expired metric.Int64Counter
	legSeconds, vmSeconds, queueSeconds                       metric.Float64Histogram
	stateBytes, storedBytes                                   metric.Int64Histogram
}

func newMetrics(w *Worker) (*metrics, error) {
	meter := otel.Meter(scopeName)
	m := &metrics{}
	var errs []error
	counter := func(dst *metric.Int64Counter, name, what string) {
		c, err := meter.Int64Counter(name, metric.WithDescription(what))
		*dst, errs = c, append(errs, err)
	}
	seconds := func(dst *metric.Float64Histogram, name, what string) {
		h, err := meter.Float64Histogram(name, metric.WithDescription(what), metric.WithUnit("s"),
			metric.WithExplicitBucketBoundaries(.0001, .00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60))
		*dst, errs = h, append(errs, err)
	}
	sizes := func(dst *metric.Int64Histogram, name, what string) {
		h, err := meter.Int64Histogram(name, metric.WithDescription(what), metric.WithUnit("By"),
			metric.WithExplicitBucketBoundaries(1<<10, 2<<10, 4<<10, 16<<10, 64<<10, 256<<10, 1<<20, 4<<20, 16<<20, 64<<20, 256<<20))
		*dst, errs = h, append(errs, err)
	}
	counter(&m.jobs, "codemode.jobs", "jobs taken, by kind")
	counter(&m.results, "codemode.results", "results, by kind of job, status and detail")
	counter(&m.drops, "codemode.dropped", "messages and steps that were dropped or repeated, by reason")
	counter(&m.calls, "codemode.calls", "nested calls sent, by method")
	counter(&m.searches, "codemode.searches", "catalogue searches")
	counter(&m.expired, "codemode.expired", "parked runs that were not resumed in time")
	counter(&m.describes, "codemode.describes", "catalogue descriptions")
	seconds(&m.legSeconds, "codemode.leg.duration", "time from taking a job to storing its reply")
	seconds(&m.vmSeconds, "codemode.leg.vm", "time of a leg inside the VM")
	seconds(&m.queueSeconds, "codemode.leg.queued", "time from storing a job to taking it")
	sizes(&m.stateBytes, "codemode.snapshot.state", "bytes of suspended VM state before compression")
	sizes(&m.storedBytes, "codemode.snapshot.stored", "bytes of suspended VM state after compression")
	_, err := meter.Int64ObservableGauge("codemode.legs", metric.WithDescription("legs in progress"),
		metric.WithInt64Callback(func(_ context.Context, o metric.Int64Observer) error {
			o.Observe(int64(w.active.count()))
			return nil
		}))
	for _, e := range append(errs, err) {
		if e != nil {
			return nil, e
		}
	}
	return m, nil
}

func (m *metrics) job(ctx context.Context, kind protocol.JobKind) {
	m.jobs.Add(ctx, 1, metric.WithAttributes(attribute.String("kind", string(kind))))
}

func (m *metrics) result(ctx context.Context, l *leg, res protocol.Result) {
	set := attribute.NewSet(attribute.String("kind", string(l.kind)), attribute.String("status", string(res.Status)), attribute.String("detail", string(res.Detail)))
	with := metric.WithAttributeSet(set)
	m.results.Add(ctx, 1, with)
	kind := metric.WithAttributes(attribute.String("kind", string(l.kind)))
	m.legSeconds.Record(ctx, time.Since(l.taken).Seconds(), kind)
	m.vmSeconds.Record(ctx, l.vmTime.Seconds(), kind)
	m.queueSeconds.Record(ctx, max(0, l.taken.Sub(l.stored).Seconds()), kind)
}

func (m *metrics) dropped(ctx context.Context, reason string) {
	m.drops.Add(ctx, 1, metric.WithAttributes(attribute.String("reason", reason)))
}

func (m *metrics) call(ctx context.Context, method protocol.Method) {
	m.calls.Add(ctx, 1, metric.WithAttributes(attribute.String("method", string(method))))
}

func (m *metrics) suspended(ctx context.Context, state, stored int) {
	m.stateBytes.Record(ctx, int64(state))
	m.storedBytes.Record(ctx, int64(stored))
}
