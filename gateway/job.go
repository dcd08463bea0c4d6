package gateway

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"codemode/protocol"
	"codemode/subjects"
)

const (
	// A reply that did not come by itself is looked for after a pause that doubles within these bounds, and
	// at once when the connection comes back.
	minLook = time.Second
	maxLook = 30 * time.Second
)

// Cell is one exec. Code or Input is required.
type Cell struct {
	// RunID and JobID default to new ones. A gateway that wants to find the reply after a restart of its own
	// chooses them, and stores them, before it calls Exec. The
	// same ids again are the same job: nothing is executed twice.
	RunID, JobID string

	// Input is the argument object of exec as the model sent it (contract 4.1). Code and Language stand for one.
	Input    json.RawMessage
	Code     string
	Language protocol.Language

	// Scope is the identity that owns the run; a wait must present it.
	Scope protocol.Scope

	Config, Swarm json.RawMessage // protocol 3; absent is enabled with defaults, and off

	// CatalogRef names a catalogue that PutCatalog stored, Catalog is one that travels with the job. Neither: no tools.
	CatalogRef string
	Catalog    *protocol.Catalog
	// Namespaces of this run alone.
	Namespaces []protocol.Namespace

	ForceRestartSafe bool
}

// WaitFor is one wait.
type WaitFor struct {
	RunID string
	JobID string // defaults to a new one
	Scope protocol.Scope
}

// NewRunID makes a run id that nobody can guess (protocol 1).
func NewRunID() string { return "cm_" + rand.Text() }

// NewJobID makes a job id.
func NewJobID() string { return rand.Text() }

// Exec runs a cell and gives its reply, whatever its status. It waits until ctx ends; the error is then a
// *JobError with ErrNotSent or ErrNoReply. A cell or catalogue that cannot be sent is ErrInput or ErrTooLarge.
func (c *Client) Exec(ctx context.Context, cell Cell) (*protocol.Reply, error) {
	return c.exec(ctx, &cell)
}

func (c *Client) exec(ctx context.Context, cell *Cell) (*protocol.Reply, error) {
	mayBeThere := cell.JobID != ""
	orDefault(&cell.RunID, NewRunID())
	orDefault(&cell.JobID, NewJobID())
	job, err := cell.job()
	if err != nil {
		return nil, &JobError{cell.RunID, cell.JobID, err}
	}
	return c.do(ctx, protocol.JobExec, job, mayBeThere)
}

// Wait continues a run that replied waiting. It blocks for as long as the worker waits for something new, at
// most the cell's timeout, and gives a waiting reply again where nothing came; AwaitNews waits without a worker.
func (c *Client) Wait(ctx context.Context, w WaitFor) (*protocol.Reply, error) {
	mayBeThere := w.JobID != ""
	orDefault(&w.JobID, NewJobID())
	return c.do(ctx, protocol.JobWait, protocol.Job{RunID: w.RunID, JobID: w.JobID, Scope: w.Scope}, mayBeThere)
}

// Attach gives the reply to a job that was sent before, by this process or another one. A job that was never
// stored has no reply: it ends with ErrNoReply when ctx does.
func (c *Client) Attach(ctx context.Context, runID, jobID string) (*protocol.Reply, error) {
	if !protocol.RoutableRunID(runID) || !protocol.ValidJobID(jobID) {
		return nil, &JobError{runID, jobID, fmt.Errorf("%w: run or job id is no token", ErrInput)}
	}
	w, err := c.register(runID, jobID)
	if err != nil {
		return nil, &JobError{runID, jobID, err}
	}
	defer c.unregister(w)
	w.look(0)
	return c.await(ctx, w)
}

func (cell *Cell) job() (protocol.Job, error) {
	job := protocol.Job{
		RunID: cell.RunID, JobID: cell.JobID, Scope: cell.Scope, Input: cell.Input, Config: cell.Config, Swarm: cell.Swarm,
		ForceRestartSafe: cell.ForceRestartSafe,
	}
	var err error
	if job.Input == nil {
		input := map[string]string{"code": cell.Code}
		if cell.Language != "" {
			input["language"] = string(cell.Language)
		}
		if job.Input, err = protocol.Marshal(input); err != nil {
			return job, fmt.Errorf("%w: code: %w", ErrInput, err)
		}
	}
	switch {
	case !protocol.ValidRunID(cell.RunID):
		return job, fmt.Errorf("%w: run id is not \"cm_\" and 16 to 64 of A-Za-z0-9_-", ErrInput)
	case cell.CatalogRef != "" && cell.Catalog != nil:
		return job, fmt.Errorf("%w: catalogue is given twice", ErrInput)
	case cell.CatalogRef != "":
		job.Catalog = &protocol.CatalogSource{Ref: cell.CatalogRef}
	case cell.Catalog != nil:
		job.Catalog = &protocol.CatalogSource{}
		if job.Catalog.Inline, err = protocol.Marshal(cell.Catalog); err != nil {
			return job, fmt.Errorf("%w: catalogue: %w", ErrInput, err)
		}
	}
	if len(cell.Namespaces) > 0 {
		if job.Namespaces, err = protocol.Marshal(cell.Namespaces); err != nil {
			return job, fmt.Errorf("%w: namespaces: %w", ErrInput, err)
		}
	}
	return job, nil
}

// do sends a job and waits for its reply. A job that may have been sent before is looked for first: the stream knows the
// ids of the last two minutes only.
func (c *Client) do(ctx context.Context, kind protocol.JobKind, job protocol.Job, mayBeThere bool) (*protocol.Reply, error) {
	fail := func(err error) (*protocol.Reply, error) { return nil, &JobError{job.RunID, job.JobID, err} }
	if !protocol.ValidJobID(job.JobID) || !protocol.RoutableRunID(job.RunID) {
		return fail(fmt.Errorf("%w: run or job id is no token", ErrInput))
	}
	startBy := time.Now().Add(c.opt.StartTimeout).UTC()
	job.V, job.StartBy = protocol.Version, &startBy
	data, err := protocol.Marshal(job)
	if err != nil {
		return fail(fmt.Errorf("%w: encode %s job: %w", ErrInput, kind, err))
	}
	w, err := c.register(job.RunID, job.JobID)
	if err != nil {
		return fail(err)
	}
	defer c.unregister(w)
	if mayBeThere {
		if reply, err := c.storedReply(ctx, w); err == nil && reply != nil {
			return reply, nil
		}
	}
	_, err = c.publish(ctx, c.names.Job(kind, c.opt.Tenant), data, jetstream.WithMsgID(c.opt.Tenant+"."+job.RunID+"."+job.JobID))
	if err != nil {
		return fail(fmt.Errorf("%w: %w", ErrNotSent, err))
	}
	reply, err := c.await(ctx, w)
	if err == nil && reply.Result.Status == protocol.StatusWaiting && c.opt.Guard != nil {
		c.goWork(func() { c.lookForOrphans(job.RunID, reply.Result.Pending) })
	}
	return reply, err
}

// waiter waits for one reply.
type waiter struct {
	runID, jobID string
	came         chan []byte // the first live copy
	timer        *time.Timer
	pause        time.Duration
}

func (w *waiter) look(in time.Duration) { w.timer.Reset(in) }

func (c *Client) register(runID, jobID string) (*waiter, error) {
	w := &waiter{runID: runID, jobID: jobID, came: make(chan []byte, 1), pause: minLook, timer: time.NewTimer(minLook)}
	c.mu.Lock()
	defer c.mu.Unlock()
	key := runID + "/" + jobID
	if c.closed {
		return nil, ErrClosed
	}
	if c.waiters[key] != nil {
		return nil, fmt.Errorf("%w: this client waits for the job already", ErrInput)
	}
	c.waiters[key] = w
	return w, nil
}

func (c *Client) unregister(w *waiter) {
	w.timer.Stop()
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.waiters, w.runID+"/"+w.jobID)
}

func (c *Client) onReply(msg *nats.Msg) {
	runID, jobID := address(msg.Subject)
	c.mu.Lock()
	w := c.waiters[runID+"/"+jobID]
	c.mu.Unlock()
	if w == nil {
		return // another replica's
	}
	select {
	case w.came <- msg.Data:
	default: // a further copy
	}
}

// await waits for the reply: it listens, and looks into the stream on a timer and after a reconnect.
func (c *Client) await(ctx context.Context, w *waiter) (*protocol.Reply, error) {
	pool := absence{limit: c.opt.StartTimeout}
	for {
		var live []byte
		again := c.reconnected()
		select {
		case live = <-w.came:
			if reply, err := readReply(live, w); err == nil && reply.Attempt <= 1 {
				return reply, nil
			}
			// A job that was tried twice can be answered twice, and a reply can be forged: the stored one counts.
		case <-ctx.Done():
			return nil, &JobError{w.runID, w.jobID, fmt.Errorf("%w: %w", ErrNoReply, context.Cause(ctx))}
		case <-c.ctx.Done():
			return nil, &JobError{w.runID, w.jobID, context.Cause(c.ctx)}
		case <-again:
		case <-w.timer.C:
		}
		reply, err := c.storedReply(ctx, w)
		switch {
		case reply != nil:
			return reply, nil
		case errors.Is(err, ErrMalformed) || errors.Is(err, ErrPermission):
			return nil, &JobError{w.runID, w.jobID, err}
		case err != nil && ctx.Err() == nil:
			c.log.Warn("reply could not be looked for, trying again", "runId", w.runID, "error", err)
		case live == nil && pool.tooLong(c.poolAnswers(ctx)):
			return nil, &JobError{w.runID, w.jobID, fmt.Errorf("%w: for %s", ErrNoWorkers, c.opt.StartTimeout)}
		}
		if live != nil {
			w.pause = minLook / 8 // a copy was seen, so the stored one is on its way
		}
		w.look(w.pause)
		w.pause = min(2*w.pause, maxLook)
	}
}

func (c *Client) storedReply(ctx context.Context, w *waiter) (*protocol.Reply, error) {
	msg, err := c.last(ctx, subjects.StreamRuns, c.names.Reply(c.opt.Tenant, w.runID, w.jobID))
	if err != nil || msg == nil {
		return nil, err
	}
	return readReply(msg.Data, w)
}

func readReply(data []byte, w *waiter) (*protocol.Reply, error) {
	var r protocol.Reply
	if err := json.Unmarshal(data, &r); err != nil {
		return nil, fmt.Errorf("%w: read reply: %w", ErrMalformed, err)
	}
	if r.V != protocol.Version || r.RunID != w.runID || r.JobID != w.jobID {
		return nil, fmt.Errorf("%w: reply is of version %d, run %q, job %q", ErrMalformed, r.V, r.RunID, r.JobID)
	}
	switch r.Result.Status {
	case protocol.StatusCompleted, protocol.StatusFailed, protocol.StatusWaiting:
		return &r, nil
	}
	return nil, fmt.Errorf("%w: reply has status %q", ErrMalformed, r.Result.Status)
}

// absence measures how long nobody has been there.
type absence struct {
	limit time.Duration
	since time.Time
}

func (a *absence) tooLong(there bool) bool {
	if there {
		a.since = time.Time{}
		return false
	}
	if a.since.IsZero() {
		a.since = time.Now()
	}
	return time.Since(a.since) >= a.limit
}
