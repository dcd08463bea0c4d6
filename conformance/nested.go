package conformance

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
)

// nestedCall is one call of a run, however often it was sent: the callId is the
// idempotency key (protocol 4).
type nestedCall struct {
	call    *object // as it first came
	attempt any     // as it last came

	inboxes  []*nats.Msg // of all times it came, while it is not accepted
	accepted bool
	done     bool
	reply    []byte // the CallResult; set before done
}

// gate holds answers back until a release step.
type gate struct {
	open    bool
	waiting []func()
}

// onCall answers a nested call as the case says and judges its form.
func (r *caseRun) onCall(m *nats.Msg, runID, callID string) {
	v, err := decode(m.Data)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return
	}
	if err != nil {
		r.problemLocked("call %s is not JSON: %v", callID, err)
		return
	}
	for _, b := range checkCall(v, r.gw.tenant, runID, callID) {
		r.problemLocked("%s", b)
	}
	call, ok := v.(*object)
	if !ok {
		return
	}
	var scope any
	if s := r.execScopes[runID]; s != nil {
		scope = s
	}
	if !equal(call.get("scope"), scope) {
		r.problemLocked("call %s has scope %s, which is not the exec job's", callID, short(call.get("scope")))
	}
	key := runID + "/" + callID
	if n := r.calls[key]; n != nil {
		r.repeatLocked(n, m, call, runID, callID)
		return
	}
	n := &nestedCall{call: call, attempt: call.get("attempt"), inboxes: []*nats.Msg{m}}
	r.calls[key] = n
	r.order = append(r.order, n)
	r.arrivedLocked()
	if m.Reply == "" {
		r.problemLocked("call %s came without a reply inbox", callID)
	}
	r.answerLocked(n, runID, callID)
}

// repeatLocked gives the answer again without counting the call again.
func (r *caseRun) repeatLocked(n *nestedCall, m *nats.Msg, call *object, runID, callID string) {
	before, _ := n.attempt.(float64)
	now, _ := call.get("attempt").(float64)
	if n.accepted && now <= before {
		r.problemLocked("call %s was accepted and came again with attempt %s", callID, short(call.get("attempt")))
	}
	n.attempt = call.get("attempt")
	switch {
	case n.accepted:
		r.respondLocked(m, nil)
		if n.done {
			r.publishResultLocked(n, runID, callID)
		}
	case n.done:
		r.respondLocked(m, n.reply)
	default:
		n.inboxes = append(n.inboxes, m)
	}
}

// answerLocked starts the answer to a call that came for the first time.
func (r *caseRun) answerLocked(n *nestedCall, runID, callID string) {
	key, a, ok := r.chooseLocked(n.call)
	if !ok {
		r.problemLocked("a call of %s was not to be expected", key)
		refusal := newObject("message", "the case has no answer for "+key)
		n.reply = []byte(encode(newObject("v", 1, "callId", callID, "ok", false, "error", refusal)))
		n.done = true
		r.respondLocked(n.inboxes[0], n.reply)
		return
	}
	if a.accept {
		n.accepted = true
		r.respondLocked(n.inboxes[0], nil)
	}
	if a.kind == "never" {
		return
	}
	n.reply = []byte(encode(callResult(a, callID, callPayload(n.call))))
	send := func() {
		n.done = true
		if n.accepted {
			r.publishResultLocked(n, runID, callID)
			return
		}
		for _, m := range n.inboxes {
			r.respondLocked(m, n.reply)
		}
	}
	due := func() { r.afterLocked(a.delay, send) }
	g := r.gateLocked(key)
	if a.hold && !g.open {
		g.waiting = append(g.waiting, due)
		return
	}
	due()
}

// chooseLocked finds the answer by tool id, tool name or method, in this order.
// The key it returns names the tool where there is none, too.
func (r *caseRun) chooseLocked(call *object) (key string, a answer, ok bool) {
	method := "method:" + plain(call.get("method"))
	for _, v := range []any{call.get("toolId"), call.get("toolName"), method} {
		key, _ := v.(string)
		answers := r.spec.tools[key]
		if len(answers) == 0 {
			continue
		}
		nth := r.answered[key]
		r.answered[key]++
		a := answers[min(nth, len(answers)-1)]
		return key, a.forPayload(callPayload(call)), true
	}
	return plain(either(call.get("toolName"), method)), answer{}, false
}

func (a answer) forPayload(payload any) answer {
	for _, c := range a.when {
		if c.input != nil && !fits(c.input, payload) {
			continue
		}
		if c.argsMatches == nil || c.argsMatches.matches(encode(payload)) {
			return c.answer
		}
	}
	return a
}

// callResult is the CallResult of protocol 4 for an answer.
func callResult(a answer, callID string, payload any) *object {
	result := newObject("v", 1, "callId", callID)
	switch a.kind {
	case "error":
		e := a.payload
		if text, ok := e.(string); ok {
			e = newObject("message", text)
		}
		result.set("ok", false)
		result.set("error", e)
	case "blocked":
		result.set("ok", false)
		result.set("error", newObject("message", a.payload, "kind", "blocked"))
	case "result":
		result.set("ok", true)
		result.set("result", a.payload)
	case "echo":
		result.set("ok", true)
		result.set("value", either(payload, null{}))
	default:
		result.set("ok", true)
		result.set("value", either(a.payload, null{}))
	}
	return result
}

func (r *caseRun) respondLocked(m *nats.Msg, data []byte) {
	// A call without an inbox is a problem already.
	if err := m.Respond(data); err != nil && !errors.Is(err, nats.ErrMsgNoReply) {
		r.problemLocked("answer %s: %v", m.Subject, err)
	}
}

// publishResultLocked stores the answer to an accepted call. It does not wait for it.
func (r *caseRun) publishResultLocked(n *nestedCall, runID, callID string) {
	data := n.reply
	r.work.Go(func() {
		subject := r.gw.subject("run", runID, "result", callID)
		msgID := strings.Join([]string{r.gw.tenant, runID, callID, "result"}, ".")
		// Once the case is over nobody asks whether it was stored.
		if err := r.gw.publish(r.ctx, subject, data, msgID); err != nil && !errors.Is(err, context.Canceled) {
			r.problem("%v", err)
		}
	})
}

// afterLocked calls f under the lock, at once or later, unless the case is over by then.
func (r *caseRun) afterLocked(delay time.Duration, f func()) {
	if delay <= 0 {
		f()
		return
	}
	r.timers = append(r.timers, time.AfterFunc(delay, func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		if !r.closed {
			f()
		}
	}))
}

func (r *caseRun) gateLocked(tool string) *gate {
	if r.gates[tool] == nil {
		r.gates[tool] = &gate{}
	}
	return r.gates[tool]
}

func (s *releaseStep) play(_ context.Context, r *caseRun, _ string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	g := r.gateLocked(s.tool)
	g.open = true
	for _, due := range g.waiting {
		due()
	}
	g.waiting = nil
	return nil
}

func (s *sleepStep) play(ctx context.Context, _ *caseRun, _ string) error { return pause(ctx, s.pause) }

func (s *untilCallsStep) play(ctx context.Context, r *caseRun, label string) error {
	var got int
	err := r.until(ctx, s.patience, func() bool {
		got = len(r.order)
		return got >= s.count
	})
	if errors.Is(err, errNotInTime) {
		return fmt.Errorf("%s: only %d of %d calls came", label, got, s.count)
	}
	return err
}

// awaitStrayCalls gives calls that should not be a moment to come.
func (r *caseRun) awaitStrayCalls(ctx context.Context) {
	moment := 60 * time.Millisecond
	if len(r.spec.calls) == 0 {
		moment = 250 * time.Millisecond
	}
	_ = pause(ctx, moment) // cut short, it is judged all the same
}

// judgeCalls compares the calls that came with those the case lists.
func (r *caseRun) judgeCalls() {
	r.mu.Lock()
	defer r.mu.Unlock()
	got, want := r.order, r.spec.calls
	if len(got) != len(want) {
		r.problemLocked("calls: %d came, want %d: %s", len(got), len(want), showCalls(got))
	}
	if r.spec.callsOrdered {
		for i, w := range want {
			if i < len(got) && !w.fits(got[i]) {
				r.problemLocked("calls[%d] is %s, want %s", i, got[i].show(), short(w.source))
			}
		}
		return
	}
	left := slices.Clone(got)
	for _, w := range want {
		i := slices.IndexFunc(left, w.fits)
		if i < 0 {
			r.problemLocked("calls: no call like %s is left in %s", short(w.source), showCalls(got))
			continue
		}
		left = slices.Delete(left, i, i+1)
	}
}

func (w wantedCall) fits(n *nestedCall) bool {
	c := n.call
	if w.tool != nil && !equal(w.tool, c.get("toolName")) && !equal(w.tool, c.get("toolId")) && !equal(w.tool, "method:"+plain(c.get("method"))) {
		return false
	}
	if w.input != nil && !equal(w.input, c.get("input")) || w.id != nil && !equal(w.id, c.get("id")) {
		return false
	}
	if w.argsMatches != nil && !w.argsMatches.matches(encode(c.get("args"))) {
		return false
	}
	if w.rest.has("attempt") { // the last one counts
		c = c.clone()
		c.set("attempt", n.attempt)
	}
	return fits(w.rest, c)
}

func (n *nestedCall) show() string {
	return plain(either(n.call.get("toolName"), n.call.get("method"))) + " " + clip(encode(either(n.call.get("input"), n.call.get("args"))), 80)
}

func showCalls(calls []*nestedCall) string {
	texts := make([]string, len(calls))
	for i, n := range calls {
		texts[i] = n.show()
	}
	return "[" + clip(strings.Join(texts, "; "), 300) + "]"
}
