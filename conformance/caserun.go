package conformance

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"
)

const (
	caseLimit   = 150 * time.Second
	maxProblems = 12
	// Time in the queue is the pool's size and not a worker's behaviour. So much of it is overlooked.
	queueAllowance = 20 * time.Second
)

// caseRun plays one case. Its steps run on one goroutine, while messages and
// timers come on others.
type caseRun struct {
	gw    *gateway
	spec  *Case
	uniq  string
	scope *object

	// Of the goroutine that plays the steps.
	runIDs   []string // of exec jobs, in order
	jobCount int
	handles  map[string]handle
	memory   map[string]any

	// work is what the case has begun beside its steps: publishing results.
	ctx  context.Context
	work sync.WaitGroup

	mu         sync.Mutex // guards the rest
	closed     bool       // nothing that arrives counts any more
	arrived    chan struct{}
	problems   []string
	allRunIDs  []string           // with those of waits on unknown runs
	execScopes map[string]*object // by runId
	slots      map[string]*slot   // by jobId
	calls      map[string]*nestedCall
	order      []*nestedCall // as they first came
	answered   map[string]int
	gates      map[string]*gate
	timers     []*time.Timer
	events     []seenEvent
}

// slot is where the reply to a job is awaited.
type slot struct {
	runID, jobID, kind string
	sent               time.Time

	done  chan struct{} // closed once the next two are set
	reply any
	at    time.Time
}

type handle struct {
	slot *slot
	step *jobStep
}

type seenEvent struct {
	runID, kind string
	body        any // nil where it is not JSON
}

// playCase returns the problems of a case, none if all is right.
func playCase(ctx context.Context, gw *gateway, spec *Case) []string {
	ctx, cancel := context.WithCancel(ctx)
	uniq := rand.Text()[:16]
	r := &caseRun{
		gw: gw, spec: spec, uniq: uniq, scope: spec.scope, ctx: ctx,
		handles: map[string]handle{}, memory: map[string]any{},
		arrived: make(chan struct{}), execScopes: map[string]*object{}, slots: map[string]*slot{},
		calls: map[string]*nestedCall{}, answered: map[string]int{}, gates: map[string]*gate{},
	}
	if r.scope == nil {
		r.scope = newObject("agentId", "main", "sessionId", "sess_"+uniq, "sessionKey", "agent:main:"+uniq, "agentRunId", "run_"+uniq, "toolCallId", "call_1")
	}
	r.playSteps(ctx)
	if spec.checkCalls {
		r.awaitStrayCalls(ctx)
		r.judgeCalls()
	}
	problems := r.close()
	cancel()
	r.work.Wait()
	return problems
}

func (r *caseRun) playSteps(ctx context.Context) {
	limited, cancel := context.WithTimeout(ctx, caseLimit)
	defer cancel()
	for i, s := range r.spec.steps {
		err := s.play(limited, r, fmt.Sprintf("step %d", i+1))
		switch {
		case err == nil:
			continue
		case ctx.Err() != nil:
			r.problem("stopped: %v", context.Cause(ctx))
		case limited.Err() != nil:
			r.problem("case: not over after %v", caseLimit)
		default:
			r.problem("%v", err)
		}
		return
	}
}

// close ends the case's part in everything that is shared.
func (r *caseRun) close() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	for _, t := range r.timers {
		t.Stop()
	}
	r.gw.forget(r.allRunIDs)
	return r.problems
}

func (r *caseRun) problem(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.problemLocked(format, args...)
}

func (r *caseRun) problemLocked(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if !r.closed && len(r.problems) < maxProblems && !slices.Contains(r.problems, text) {
		r.problems = append(r.problems, text)
	}
}

func (r *caseRun) report(label string, bad []string) {
	for _, b := range bad {
		r.problem("%s: %s", label, b)
	}
}

// arrivedLocked wakes who waits in until.
func (r *caseRun) arrivedLocked() {
	close(r.arrived)
	r.arrived = make(chan struct{})
}

var errNotInTime = errors.New("not in time")

// until waits for a condition, which is called under the lock and can change
// when a call or an event arrives. It fails with errNotInTime or the context's error.
func (r *caseRun) until(ctx context.Context, patience time.Duration, condition func() bool) error {
	t := time.NewTimer(patience)
	defer t.Stop()
	for {
		r.mu.Lock()
		arrived, ok := r.arrived, condition()
		r.mu.Unlock()
		if ok {
			return nil
		}
		select {
		case <-arrived:
		case <-t.C:
			return errNotInTime
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// newRunID registers a run of this case, so that what comes for it is seen.
func (r *caseRun) newRunID() string {
	id := randomRunID()
	r.mu.Lock()
	r.allRunIDs = append(r.allRunIDs, id)
	r.mu.Unlock()
	r.gw.add(id, r)
	return id
}

func randomRunID() string { return "cm_" + rand.Text() }

// lastRunID is empty before the first exec.
func (r *caseRun) lastRunID() string {
	if len(r.runIDs) == 0 {
		return ""
	}
	return r.runIDs[len(r.runIDs)-1]
}
