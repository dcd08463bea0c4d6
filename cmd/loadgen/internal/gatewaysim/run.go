package gatewaysim

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"codemode/internal/jetpub"
	"codemode/protocol"
	"codemode/subjects"
)

const (
	// A reply that did not come by itself is looked for after a pause that doubles within these bounds:
	// delivery to a subscription is at most once.
	minLook = time.Second
	maxLook = 5 * time.Second
	// lookTimeout bounds one look.
	lookTimeout = 2 * time.Second
)

// Cell is what an exec job runs.
type Cell struct {
	Code     string            `json:"code"`
	Language protocol.Language `json:"language,omitempty"` // "" is JavaScript
	// Config is the job's config field; nil is enabled with defaults.
	Config json.RawMessage `json:"-"`
}

// Answer is the reply to a job.
type Answer struct {
	Raw  json.RawMessage // as stored, see protocol.Reply
	Took time.Duration   // from before the job was published until the reply was there
	// Fetched is set where the reply was read from the stream, since none came by the subscription.
	Fetched bool
}

// Reply decodes the answer.
func (a Answer) Reply() (protocol.Reply, error) {
	var r protocol.Reply
	if err := json.Unmarshal(a.Raw, &r); err != nil {
		return r, fmt.Errorf("read reply: %w", err)
	}
	return r, nil
}

// Run is one run of the gateway: its jobs, and the calls that came of it.
type Run struct {
	g     *Gateway
	id    string
	scope protocol.Scope

	mu    sync.Mutex
	jobs  map[string]*slot // by job id, those that wait for a reply
	sent  int              // jobs so far
	calls map[string]*call // by call id: each is answered once (protocol 4)
	stats CallStats
	busy  int
}

// slot takes the reply to one job.
type slot struct {
	done    chan struct{} // closed when the fields below are set
	filled  bool
	data    []byte
	at      time.Time
	fetched bool
}

// NewRun makes a run with an id that nobody can guess (protocol 1). Close forgets it.
func (g *Gateway) NewRun(scope protocol.Scope) *Run {
	r := &Run{g: g, id: "cm_" + rand.Text(), scope: scope, jobs: map[string]*slot{}, calls: map[string]*call{}}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.runs[r.id] = r
	return r
}

// ID of the run.
func (r *Run) ID() string { return r.id }

// Close forgets the run; calls of it that come later are not answered.
func (r *Run) Close() {
	r.g.mu.Lock()
	defer r.g.mu.Unlock()
	delete(r.g.runs, r.id)
}

// Exec runs a cell and gives the reply, whatever its status. It waits until ctx ends.
func (r *Run) Exec(ctx context.Context, cell Cell) (Answer, error) {
	input, err := protocol.Marshal(cell)
	if err != nil {
		return Answer{}, fmt.Errorf("encode exec job: %w", err)
	}
	job := protocol.Job{Input: input, Config: cell.Config}
	if r.g.catalog != nil {
		job.Catalog = &protocol.CatalogSource{Inline: r.g.catalog}
	}
	return r.do(ctx, protocol.JobExec, job)
}

// Wait goes on with the run after a waiting reply.
func (r *Run) Wait(ctx context.Context) (Answer, error) {
	return r.do(ctx, protocol.JobWait, protocol.Job{})
}

func (r *Run) do(ctx context.Context, kind protocol.JobKind, job protocol.Job) (Answer, error) {
	s := &slot{done: make(chan struct{})}
	job.V, job.RunID, job.Scope = protocol.Version, r.id, r.scope
	job.JobID = r.register(s)
	defer r.unregister(job.JobID)
	data, err := protocol.Marshal(job)
	if err != nil {
		return Answer{}, fmt.Errorf("encode %s job: %w", kind, err)
	}
	msg := nats.NewMsg(r.g.opt.Names.Job(kind, r.g.opt.Tenant))
	msg.Data = data
	missed := r.g.missed()
	began := time.Now()
	if _, err := jetpub.Publish(ctx, r.g.js, msg, jetstream.WithMsgID(r.g.opt.Tenant+"."+r.id+"."+job.JobID)); err != nil {
		return Answer{}, fmt.Errorf("send %s job: %w", kind, err)
	}
	if err := r.await(ctx, s, job.JobID, missed); err != nil {
		return Answer{}, fmt.Errorf("await reply to %s job: %w", kind, err)
	}
	return Answer{Raw: s.data, Took: s.at.Sub(began), Fetched: s.fetched}, nil
}

func (r *Run) register(s *slot) (jobID string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sent++
	jobID = "j" + strconv.Itoa(r.sent)
	r.jobs[jobID] = s
	return jobID
}

func (r *Run) unregister(jobID string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.jobs, jobID)
}

// await waits for the reply. It listens, and looks into the stream on a timer and after a reconnect.
func (r *Run) await(ctx context.Context, s *slot, jobID string, missed <-chan struct{}) error {
	pause := minLook
	tick := time.NewTimer(pause)
	defer tick.Stop()
	for {
		select {
		case <-s.done:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-missed:
			missed = r.g.missed()
		case <-tick.C:
			pause = min(2*pause, maxLook)
			tick.Reset(pause)
		}
		data, err := r.g.storedReply(ctx, r.id, jobID)
		if err != nil && ctx.Err() == nil {
			r.g.opt.Logger.Warn("reply could not be looked for, trying again", "runId", r.id, "error", err)
		}
		if data != nil {
			r.deliver(jobID, data, true)
		}
	}
}

// storedReply reads a reply from the stream; nil where there is none yet. It asks in the one form that a
// gateway may be permitted to without reading what is not its own.
func (g *Gateway) storedReply(ctx context.Context, runID, jobID string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	subject := g.opt.Names.Reply(g.opt.Tenant, runID, jobID)
	msg, err := g.nc.RequestWithContext(ctx, "$JS.API.DIRECT.GET."+subjects.StreamRuns+"."+subject, nil)
	if err != nil {
		return nil, fmt.Errorf("read stored reply: %w", err)
	}
	switch status := msg.Header.Get("Status"); {
	case status == "404":
		return nil, nil
	case status != "" || msg.Header.Get(jetstream.SequenceHeader) == "":
		return nil, fmt.Errorf("read stored reply: the server answers %q %q", status, msg.Header.Get("Description"))
	}
	return msg.Data, nil
}

func (g *Gateway) onReply(msg *nats.Msg) {
	runID, jobID := address(msg.Subject)
	if r := g.run(runID); r != nil {
		r.deliver(jobID, msg.Data, false)
	}
}

// deliver gives a reply to who waits for it. Only the first copy counts.
func (r *Run) deliver(jobID string, data []byte, fetched bool) {
	at := time.Now()
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.jobs[jobID]
	if s == nil || s.filled {
		return
	}
	s.filled, s.data, s.at, s.fetched = true, data, at, fetched
	close(s.done)
}
