package worker

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"codemode/internal/jetpub"
	"codemode/internal/natstrace"
	"codemode/protocol"
)

// maxAttempts is how often a job is tried (contract 12.5). The worker counts: MaxDeliver would leave the
// job in the stream for ever.
const maxAttempts = 3

// leg is the handling of one job.
type leg struct {
	w       *Worker
	kind    protocol.JobKind
	tenant  string
	job     protocol.Job
	msg     jetstream.Msg
	stored  time.Time // stream timestamp of the job
	taken   time.Time
	attempt int // from 1

	ctx    context.Context // ends by abort, or when the worker cannot wait any longer
	cancel context.CancelCauseFunc
	log    *slog.Logger

	stop   atomic.Pointer[func(*protocol.Error)] // interrupts the guest that runs, if one does
	atEnd  func()                                // frees what the run holds, once the reply is on its way; nil if there was none
	vmTime time.Duration
	idle   time.Duration // waiting for results with no VM running
}

type runKey struct{ tenant, runID string }

// legs are those in progress, by run; an abort finds them here.
type legs struct {
	mu    sync.Mutex
	byRun map[runKey]map[*leg]struct{}
}

func (a *legs) add(l *leg) {
	a.mu.Lock()
	defer a.mu.Unlock()
	key := runKey{l.tenant, l.job.RunID}
	if a.byRun[key] == nil {
		a.byRun[key] = map[*leg]struct{}{}
	}
	a.byRun[key][l] = struct{}{}
}

func (a *legs) remove(l *leg) {
	a.mu.Lock()
	defer a.mu.Unlock()
	key := runKey{l.tenant, l.job.RunID}
	delete(a.byRun[key], l)
	if len(a.byRun[key]) == 0 {
		delete(a.byRun, key)
	}
}

// find gives the legs for which match holds.
func (a *legs) find(match func(*leg) bool) []*leg {
	a.mu.Lock()
	defer a.mu.Unlock()
	var out []*leg
	for _, set := range a.byRun {
		for l := range set {
			if match(l) {
				out = append(out, l)
			}
		}
	}
	return out
}

func (a *legs) ofRun(tenant, runID string) []*leg {
	a.mu.Lock()
	defer a.mu.Unlock()
	var out []*leg
	for l := range a.byRun[runKey{tenant, runID}] {
		out = append(out, l)
	}
	return out
}

func (a *legs) count() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	n := 0
	for _, set := range a.byRun {
		n += len(set)
	}
	return n
}

// handle answers one job. It never fails: a job that cannot be answered is dropped, logged and counted.
func (w *Worker) handle(kind protocol.JobKind, msg jetstream.Msg) {
	taken := time.Now()
	defer w.keepAlive(msg)()
	meta, err := msg.Metadata()
	if err != nil {
		w.drop(msg, "no_metadata", err)
		return
	}
	_, tenant, ok := w.names.ParseJob(msg.Subject())
	if !ok {
		w.drop(msg, "bad_subject", errors.New("not the subject of a job"))
		return
	}
	job, err := protocol.DecodeJob(kind, msg.Data())
	if errors.Is(err, protocol.ErrUnanswerable) {
		w.drop(msg, "unanswerable_job", err)
		return
	}
	l := &leg{w: w, kind: kind, tenant: tenant, job: job, msg: msg, stored: meta.Timestamp, taken: taken, attempt: int(meta.NumDelivered)}
	l.log = w.log.With("tenant", tenant, "runId", job.RunID, "jobId", job.JobID)
	ctx := natstrace.Extract(w.work, msg.Headers())
	ctx, span := tracer().Start(ctx, string(kind), trace.WithSpanKind(trace.SpanKindConsumer), trace.WithTimestamp(taken), trace.WithAttributes(
		attribute.String("codemode.tenant", tenant), attribute.String("codemode.run_id", job.RunID),
		attribute.String("codemode.job_id", job.JobID), attribute.Int("codemode.attempt", l.attempt)))
	defer span.End()
	l.ctx, l.cancel = context.WithCancelCause(ctx)
	defer l.cancel(nil)
	w.active.add(l)
	defer w.active.remove(l)
	w.metrics.job(ctx, kind)

	var fail *protocol.Error
	if err != nil && !errors.As(err, &fail) {
		fail = &protocol.Error{Detail: protocol.DetailInternal, Message: err.Error()}
	}
	l.answer(span, fail)
}

// drop ends a job that no reply can be addressed to (protocol 1).
func (w *Worker) drop(msg jetstream.Msg, reason string, err error) {
	w.log.Error("job dropped", "subject", msg.Subject(), "reason", reason, "bytes", len(msg.Data()), "error", err)
	w.metrics.dropped(context.Background(), reason)
	if err := msg.TermWithReason(reason); err != nil {
		w.log.Warn("dropped job could not be ended, it is delivered again", "error", err)
	}
}

// answer runs the leg and stores its reply; the job is acknowledged only after that.
func (l *leg) answer(span trace.Span, unreadable *protocol.Error) {
	defer func() {
		if l.atEnd != nil {
			l.atEnd()
		}
	}()
	out, done := l.before(unreadable)
	if done {
		l.ack()
		return
	}
	if out == nil {
		res, err := l.run()
		if err != nil {
			l.leave(err)
			return
		}
		out = res
	}
	span.SetAttributes(attribute.String("codemode.status", string(out.result.Status)))
	if out.result.Status == protocol.StatusFailed {
		span.SetAttributes(attribute.String("codemode.detail", string(out.result.Detail)))
		span.SetStatus(codes.Error, string(out.result.Detail))
	}
	if err := l.reply(out.result); err != nil {
		l.leave(err)
		return
	}
	if out.ended != nil {
		out.ended()
	}
	l.ack()
	if out.tidy != nil {
		out.tidy()
	}
}

// outcome is what a leg ends with. Once the reply is stored, ended is run before the job is acknowledged,
// for what must not be left over, and tidy after it, for what would only take room.
type outcome struct {
	result      protocol.Result
	ended, tidy func()
}

// run executes the leg. An error means that the job is to be done again, here or elsewhere.
func (l *leg) run() (*outcome, error) {
	if l.kind == protocol.JobExec {
		return l.exec()
	}
	return l.wait()
}

// before makes the checks that are the same for both kinds. done: the reply is already stored.
func (l *leg) before(unreadable *protocol.Error) (out *outcome, done bool) {
	if l.attempt > 1 {
		stored, err := l.hasReply()
		if err != nil {
			l.log.Warn("stored reply could not be looked for", "error", err)
		}
		if stored {
			return nil, true
		}
	}
	switch {
	case unreadable != nil:
		return l.refuse(unreadable), false
	case l.attempt > maxAttempts:
		return l.refuse(protocol.ErrAttempts), false
	case l.job.StartBy != nil && l.taken.After(*l.job.StartBy):
		return l.refuse(protocol.ErrNotStarted), false
	}
	aborted, err := l.abortedBefore()
	if err != nil {
		l.log.Warn("abort marks could not be read", "error", err)
	}
	if aborted {
		return l.refuse(protocol.ErrAborted), false
	}
	return nil, false
}

// refuse makes the failed result of a leg in which no guest ran. What happened in earlier legs of the
// run is not known, so a failed wait may have dispatched (contract 14.5).
func (l *leg) refuse(e *protocol.Error) *outcome {
	res := protocol.Result{
		Status: protocol.StatusFailed, Error: e.Message, Detail: e.Detail, FailurePhase: protocol.PhaseInput,
		Telemetry: protocol.NewTelemetry(1),
	}
	if l.kind == protocol.JobWait {
		res.FailurePhase, res.BridgeDispatchStarted = protocol.PhaseBridge, true
		res.Telemetry.Legs = 0
	} else if e.Detail == protocol.DetailAttemptsExhausted {
		res.FailurePhase, res.BridgeDispatchStarted = protocol.PhaseBridge, true
	} else if e.Detail == protocol.DetailRuntimeUnavailable {
		res.FailurePhase = protocol.PhaseHost
	}
	if e.Cause != nil {
		l.log.Info("job refused", "detail", e.Detail, "error", e.Cause)
	}
	return &outcome{result: res}
}

func (l *leg) hasReply() (bool, error) {
	_, err := l.w.runs.GetLastMsgForSubject(l.ctx, l.w.names.Reply(l.tenant, l.job.RunID, l.job.JobID))
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return false, nil
	}
	return err == nil, err
}

// reply stores the reply. The first one of a job counts: that another worker stored one is no error.
func (l *leg) reply(res protocol.Result) error {
	reply := protocol.Reply{
		V: protocol.Version, Tenant: l.tenant, RunID: l.job.RunID, JobID: l.job.JobID, Result: res,
		Worker: l.w.opt.ID, Attempt: l.attempt,
		Timing: protocol.Timing{
			QueuedMs: millis(l.taken.Sub(l.stored)), VMMs: millis(l.vmTime), ToolMs: millis(l.idle), TotalMs: millis(time.Since(l.taken)),
		},
	}
	data, err := protocol.Marshal(reply)
	if err != nil {
		return err
	}
	msg := nats.NewMsg(l.w.names.Reply(l.tenant, l.job.RunID, l.job.JobID))
	msg.Data = data
	ctx := context.WithoutCancel(l.ctx) // a reply is stored for an aborted run too
	natstrace.Inject(ctx, msg)
	ctx, cancel := context.WithTimeout(ctx, replyTimeout)
	defer cancel()
	_, err = jetpub.Publish(ctx, l.w.js, msg, jetstream.WithMsgID(l.tenant+"."+l.job.RunID+"."+l.job.JobID+".reply"))
	if errors.Is(err, jetpub.ErrExists) {
		err = nil
	}
	if err == nil {
		l.w.metrics.result(l.ctx, l, res) // before the log says so: who reads it there finds it counted
		l.tellReply(&reply)
	}
	return err
}

// replyTimeout bounds the tries to store a reply; after it the job is left to be delivered again.
const replyTimeout = 30 * time.Second

func millis(d time.Duration) float64 { return max(0, float64(d.Microseconds())/1000) }

func (l *leg) ack() {
	if err := l.msg.Ack(); err != nil {
		l.log.Warn("job could not be acknowledged; it is delivered again and found answered", "error", err)
	}
}

// leave gives a job up without a reply: it is handed back, or delivered again after the ack wait.
func (l *leg) leave(err error) {
	if errors.Is(err, errHandOver) {
		l.log.Info("job handed back while draining")
		l.w.giveBack(l.msg)
		return
	}
	l.log.Error("leg ended without a reply; its job is delivered again", "error", err)
	l.w.metrics.dropped(context.Background(), "leg_without_reply")
	if err := l.msg.NakWithDelay(time.Second); err != nil {
		l.log.Warn("job could not be handed back", "error", err)
	}
}

// abort ends the leg at once: the guest if it runs, the waiting if it waits.
func (l *leg) abort() {
	l.cancel(protocol.ErrAborted)
	l.interrupt()
}

// interrupt stops the guest if one runs. It is called after the end of the leg's context, which says why.
func (l *leg) interrupt() {
	if stop := l.stop.Load(); stop != nil {
		(*stop)(protocol.ErrAborted)
	}
}
