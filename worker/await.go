package worker

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"codemode/catalog"
	"codemode/kvsnapshots"
	"codemode/protocol"
	"codemode/vm"
)

// await waits until the guest can be given something: the stored result with the smallest sequence of
// those at hand (contract 10.4). The VM stays as it is meanwhile.
func (r *run) await() (settlement, end, error) {
	if err := r.listen(); err != nil {
		return settlement{}, 0, err
	}
	began := time.Now()
	defer func() { r.idle += time.Since(began) }()
	end := time.NewTimer(time.Until(r.deadline))
	defer end.Stop()
	poll := minPoll
	tick := time.NewTimer(poll)
	defer tick.Stop()
	for {
		r.collect()
		if i, res, ok := r.pick(); ok {
			if time.Until(r.deadline) < r.floor() {
				return settlement{}, endPark, nil
			}
			return r.delivered(i, res), 0, nil
		}
		due, err := r.fireTimers()
		if err != nil {
			return settlement{}, 0, err
		}
		select {
		case msg := <-r.results.live:
			r.receive(msg)
		case id := <-r.results.accepted:
			r.accept(id)
		case <-due:
		case <-tick.C:
			if err := r.results.look(r.ctx, r.pendingIDs()); err != nil && r.ctx.Err() == nil {
				r.log.Warn("results could not be looked for, trying again", "error", err)
			}
			poll = min(poll*2, maxPoll)
			tick.Reset(poll)
		case <-end.C:
			return settlement{}, endPark, nil
		case <-r.ctx.Done():
			return settlement{}, 0, context.Cause(r.ctx)
		case <-r.w.draining:
			return settlement{}, 0, errHandOver
		}
	}
}

// floor is the least time left in which a guest is resumed (contract 2.4).
func (r *run) floor() time.Duration {
	return time.Duration(min(250, max(1, r.rec.Config.TimeoutMs/2))) * time.Millisecond
}

func (r *run) accept(callID string) {
	for i := range r.rec.Pending {
		if p := &r.rec.Pending[i]; p.CallID == callID {
			p.Accepted, p.Input = true, nil
		}
	}
}

// waitsFor reports whether a request may be settled by a stored result in this leg.
func (r *run) waitsFor(p kvsnapshots.Pending) bool {
	if p.Method == protocol.MethodYield || local(p) {
		return false
	}
	return !r.rec.RestartSafe || r.atStart[p.CallID]
}

func (r *run) pick() (int, stored, bool) {
	found, best := -1, stored{}
	for i, p := range r.rec.Pending {
		res, ok := r.results.got[p.CallID]
		if ok && r.waitsFor(p) && (found < 0 || res.seq < best.seq) {
			found, best = i, res
		}
	}
	return found, best, found >= 0
}

// fireTimers stores the firing of each timer that is due, in order of due time and then of creation, and
// gives a channel that tells when the next one is.
func (r *run) fireTimers() (<-chan time.Time, error) {
	var timers []kvsnapshots.Pending
	for _, p := range r.rec.Pending {
		if p.Method == protocol.MethodSleep && r.waitsFor(p) && !r.results.has(p.CallID) {
			timers = append(timers, p)
		}
	}
	if len(timers) == 0 {
		return nil, nil
	}
	slices.SortStableFunc(timers, func(a, b kvsnapshots.Pending) int { return a.Due.Compare(b.Due) })
	now := time.Now()
	for _, p := range timers {
		if p.Due.After(now) {
			return time.After(p.Due.Sub(now)), nil
		}
		fired := protocol.CallResult{V: protocol.Version, CallID: p.CallID, OK: true, Value: json.RawMessage("null")}
		if err := r.w.storeResult(r.results.ctx, r.results.names(p.CallID), fired); err != nil {
			return nil, err
		}
	}
	// All that are left are stored; they come by the subscription, or are found by looking.
	return nil, nil
}

// delivered makes the answer out of a stored result.
func (r *run) delivered(i int, res stored) settlement {
	p := r.rec.Pending[i]
	s := settlement{pending: p, seq: res.seq, clock: res.at, answer: vm.Settlement{ID: p.ID}}
	if p.Method == protocol.MethodSleep {
		s.answer.Timer = true
		if p.Due.After(s.clock) {
			s.clock = p.Due
		}
		return s
	}
	s.answer.Remote, s.answer.Sent = true, true
	value, err := r.answerOf(p, res.data)
	if err != nil {
		s.answer.Err = err.Error()
		return s
	}
	s.answer.Value = value
	return s
}

// answerOf turns a stored result into the value a helper resolves with; the error's text is what it
// rejects with (contract 6.8, 6.9).
func (r *run) answerOf(p kvsnapshots.Pending, data []byte) (json.RawMessage, error) {
	res, err := protocol.DecodeCallResult(p.CallID, data)
	if err != nil {
		r.log.Warn("stored result is malformed", "callId", p.CallID, "error", err)
		r.w.metrics.dropped(r.ctx, "malformed_result")
		return nil, errors.New(protocol.MsgNestedToolFailed)
	}
	if !res.OK {
		return nil, errors.New(rejection(p.ToolID, res.Error))
	}
	result := res.Result
	if len(result) == 0 {
		result = append(append([]byte(`{"details":`), res.Value...), '}')
	}
	if p.Method.Swarm() {
		return catalog.Value(result), nil
	}
	entry := r.view.Entry(p.ToolID)
	if entry == nil {
		return nil, errors.New(protocol.MsgNestedToolFailed)
	}
	if err := entry.ValidateOutput(catalog.Details(result)); err != nil {
		return nil, err
	}
	switch {
	case p.Method == protocol.MethodCall:
		return catalog.Envelope(entry, result), nil
	case p.Method == protocol.MethodNamespace && p.Path[0] == mcpNamespace:
		return result, nil
	default:
		return catalog.Value(result), nil
	}
}

// mcpNamespace is the id of the namespace whose results are given whole (contract 7.2).
const mcpNamespace = "mcp"

func rejection(toolID string, e *protocol.CallError) string {
	message := strings.TrimSpace(e.Message)
	if e.Kind == protocol.KindBlocked {
		if message == "" {
			message = "Tool call blocked by policy"
		}
		return `Tool "` + toolID + `" was blocked before execution: ` + message
	}
	if message == "" {
		return protocol.MsgNestedToolFailed
	}
	return e.Message
}
