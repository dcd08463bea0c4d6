package conformance

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

func (s *jobStep) play(ctx context.Context, r *caseRun, label string) error {
	sent, err := r.send(ctx, s)
	if err != nil {
		return err
	}
	if s.as != "" {
		r.handles[s.as] = handle{sent, s}
		return nil
	}
	reply, err := r.receive(ctx, sent, r.patience(s.patience), label)
	if err != nil {
		return err
	}
	if reply, err = r.waitAgain(ctx, s, reply, label); err != nil {
		return err
	}
	r.judgeReply(s.expect, reply, label)
	value := resultOf(reply).get("value")
	if s.remember != "" {
		r.memory[s.remember] = value
	}
	if s.expect != nil && s.expect.differsFrom != "" && equal(r.memory[s.expect.differsFrom], value) {
		r.problem("%s: value %s does not differ from %s", label, short(value), s.expect.differsFrom)
	}
	return nil
}

// waitAgain repeats a wait while its run goes on waiting. The last reply is
// given the output of all of them.
func (r *caseRun) waitAgain(ctx context.Context, s *jobStep, reply *object, label string) (*object, error) {
	for n := 1; s.kind == "wait" && n < s.repeat && resultOf(reply).get("status") == any("waiting"); n++ {
		before, _ := resultOf(reply).get("output").([]any)
		sent, err := r.send(ctx, s)
		if err != nil {
			return nil, err
		}
		if reply, err = r.receive(ctx, sent, r.patience(s.patience), label); err != nil {
			return nil, err
		}
		result := resultOf(reply)
		if output, ok := result.get("output").([]any); ok {
			result.set("output", slices.Concat(before, output))
		}
	}
	return reply, nil
}

func (s *replyStep) play(ctx context.Context, r *caseRun, label string) error {
	h, ok := r.handles[s.as]
	if !ok {
		return fmt.Errorf("%s: there is no job %s", label, s.as)
	}
	reply, err := r.receive(ctx, h.slot, r.patience(s.patience, h.step.patience), label)
	if err != nil {
		return err
	}
	r.judgeReply(s.expect, reply, label)
	return nil
}

// patience is the first that is set, else the case's.
func (r *caseRun) patience(own ...*time.Duration) time.Duration {
	for _, d := range own {
		if d != nil {
			return *d
		}
	}
	return r.spec.patience
}

// resultOf is never a nil object that could not be read from.
func resultOf(reply *object) *object {
	result, _ := reply.get("result").(*object)
	return result
}

// send publishes the job of a step.
func (r *caseRun) send(ctx context.Context, s *jobStep) (*slot, error) {
	runID, err := r.runOf(s)
	if err != nil {
		return nil, err
	}
	r.jobCount++
	jobID := fmt.Sprintf("j%d_%s", r.jobCount, r.uniq)
	scope := r.scope.clone()
	for _, k := range s.scope.names() {
		if v := s.scope.get(k); isNone(v) {
			scope.remove(k)
		} else {
			scope.set(k, v)
		}
	}
	job := newObject("v", 1, "runId", runID, "jobId", jobID, "scope", scope)
	if s.kind == "exec" {
		if err := r.fillExec(ctx, s, job); err != nil {
			return nil, err
		}
	}
	sent := &slot{runID: runID, jobID: jobID, kind: s.kind, sent: time.Now(), done: make(chan struct{})}
	r.mu.Lock()
	r.slots[jobID] = sent
	if s.kind == "exec" {
		r.execScopes[runID] = scope
	}
	r.mu.Unlock()
	times := 1
	if s.duplicate {
		times = 2
	}
	for range times {
		subject := r.gw.prefix + ".job." + s.kind + "." + r.gw.tenant
		if err := r.gw.publish(ctx, subject, []byte(encode(job)), r.gw.tenant+"."+runID+"."+jobID); err != nil {
			return nil, err
		}
	}
	return sent, nil
}

func (r *caseRun) runOf(s *jobStep) (string, error) {
	switch {
	case s.kind == "exec":
		id := r.newRunID()
		r.runIDs = append(r.runIDs, id)
		return id, nil
	case s.stray:
		return r.newRunID(), nil
	case s.back >= len(r.runIDs):
		return "", errors.New("a wait without its exec")
	}
	return r.runIDs[len(r.runIDs)-1-s.back], nil
}

// fillExec adds what only exec jobs have.
func (r *caseRun) fillExec(ctx context.Context, s *jobStep, job *object) error {
	job.set("input", s.input)
	for _, f := range []struct {
		key         string
		step, whole any
	}{{"config", s.config, r.spec.config}, {"swarm", s.swarm, r.spec.swarm}, {"forceRestartSafe", s.forceRestartSafe, r.spec.forceRestartSafe}} {
		job.set(f.key, either(f.step, f.whole))
	}
	catalog := either(either(s.catalog, r.spec.catalog), newObject("tools", []any{}))
	switch r.spec.catalogVia {
	case "ref":
		ref, err := r.gw.storeCatalog(ctx, catalog)
		if err != nil {
			return err
		}
		job.set("catalog", newObject("ref", ref))
	case "missing":
		job.set("catalog", newObject("ref", sha256Hex([]byte(randomRunID()))))
	default:
		job.set("catalog", newObject("inline", catalog))
	}
	return nil
}

// onReply takes the first reply to a job; further copies are the stream's to refuse.
func (r *caseRun) onReply(data []byte, runID, jobID string) {
	v, err := decode(data)
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.slots[jobID]
	switch {
	case r.closed:
	case s == nil || s.runID != runID:
		r.problemLocked("there is a reply to a job %s that was not sent", jobID)
	case err != nil:
		r.problemLocked("reply to %s is not JSON: %v", jobID, err)
	case s.reply == nil:
		s.reply, s.at = v, time.Now()
		close(s.done)
	}
}

// receive awaits a reply and judges its form. A reply that is no object is
// judged as one without keys.
func (r *caseRun) receive(ctx context.Context, s *slot, patience time.Duration, label string) (*object, error) {
	limit := patience + queueAllowance
	// With nobody there the rest of the cases need not wait in full.
	if r.gw.answered.Load() == 0 && r.gw.silent.Load() >= 8 {
		limit = 1500 * time.Millisecond
	}
	t := time.NewTimer(limit)
	defer t.Stop()
	select {
	case <-s.done:
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-t.C:
		r.gw.silent.Add(1)
		return nil, fmt.Errorf("%s: no reply within %v", label, limit)
	}
	r.gw.answered.Add(1)
	reply, _ := s.reply.(*object)
	queued, _ := lookup(reply, "timing.queuedMs").(float64)
	overlook := time.Duration(max(0, min(queued, queueAllowance.Seconds()*1000)) * float64(time.Millisecond))
	if took := s.at.Sub(s.sent) - overlook; took > patience {
		r.problem("%s: the reply took %v, more than %v", label, took.Round(time.Millisecond), patience)
	}
	for _, b := range checkReply(s.reply, r.gw.tenant, s.runID, s.jobID, s.kind) {
		r.problem("%s: form: %s", label, b)
	}
	if isTerminal(resultOf(reply)) {
		return reply, r.checkGone(ctx, s.runID, label)
	}
	return reply, nil
}

// isTerminal tells the end of a run from a wait that failed for its caller alone.
func isTerminal(result *object) bool {
	return isOneOf(result.get("status"), []string{"completed", "failed"}) &&
		!isOneOf(result.get("detail"), []string{"wrong_scope", "already_resuming"})
}

// checkGone asks the service, if there is one, whether the run is forgotten.
func (r *caseRun) checkGone(ctx context.Context, runID, label string) error {
	var last any
	for range 8 {
		var err error
		last, err = r.gw.ask(ctx, "status", newObject("runId", runID), 1500*time.Millisecond)
		if err != nil {
			return ctx.Err()
		}
		if status, ok := last.(*object); ok && status.get("state") == any("unknown") {
			return nil
		}
		if err := pause(ctx, 150*time.Millisecond); err != nil {
			return err
		}
	}
	r.problem("%s: after its end the run's status is %s, not unknown", label, short(last))
	return nil
}

func (r *caseRun) judgeReply(want *expectation, reply *object, label string) {
	result := resultOf(reply)
	why := ""
	if result.get("status") == any("failed") && (want == nil || want.fields.get("status") != any("failed")) {
		why = " (it failed with " + clip(encode(result.get("error")), 160) + ")"
	}
	for _, b := range want.judge(result, reply) {
		r.problem("%s: %s%s", label, b, why)
	}
}
