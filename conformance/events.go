package conformance

import (
	"context"
	"errors"
	"slices"
	"time"
)

func (r *caseRun) onEvent(data []byte, runID, kind string) {
	v, err := decode(data)
	if err != nil {
		v = nil // judged where events are
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return
	}
	r.events = append(r.events, seenEvent{runID, kind, v})
	r.arrivedLocked()
}

// play judges the events of the last run. They come beside its reply, so the
// last kind that is wanted is waited for.
func (s *eventsStep) play(ctx context.Context, r *caseRun, label string) error {
	runID := r.lastRunID()
	err := r.until(ctx, 3*time.Second, func() bool {
		return slices.ContainsFunc(r.events, func(e seenEvent) bool {
			return len(s.kinds) > 0 && e.runID == runID && e.kind == s.kinds[len(s.kinds)-1]
		})
	})
	if err != nil && !errors.Is(err, errNotInTime) {
		return err
	}
	r.mu.Lock()
	events := distinctEvents(r.events, runID)
	r.mu.Unlock()
	for _, e := range events {
		r.report(label, checkEvent(e.body, r.gw.tenant, runID, e.kind))
	}
	r.report(label, s.judge(events))
	return nil
}

// distinctEvents are the events of a run; one that was published twice is one.
func distinctEvents(all []seenEvent, runID string) []seenEvent {
	var out []seenEvent
	seen := map[string]bool{}
	for _, e := range all {
		key := e.kind + " " + encode(lookup(e.body, "seq"))
		if e.runID == runID && !seen[key] {
			seen[key] = true
			out = append(out, e)
		}
	}
	return out
}

func (s *eventsStep) judge(events []seenEvent) []string {
	var bad violations
	kinds := make([]any, len(events))
	var texts []any
	found := 0
	for i, e := range events {
		kinds[i] = e.kind
		if found < len(s.kinds) && e.kind == s.kinds[found] {
			found++
		}
		if e.kind != "output" {
			texts = append(texts, e.body)
		}
		if i > 0 {
			before, ok1 := lookup(events[i-1].body, "seq").(float64)
			now, ok2 := lookup(e.body, "seq").(float64)
			if !ok1 || !ok2 || now <= before {
				bad.add("event seq %s follows %s", short(lookup(e.body, "seq")), short(lookup(events[i-1].body, "seq")))
			}
		}
	}
	if found < len(s.kinds) {
		bad.add("the events are %s, which lacks %s in this order", short(kinds), s.kinds[found:])
	}
	for _, want := range s.has {
		if !slices.ContainsFunc(events, func(e seenEvent) bool { return fits(want, e.body) }) {
			bad.add("no event is like %s", short(want))
		}
	}
	text := encode(texts)
	for _, p := range s.notMatches {
		if p.matches(text) {
			bad.add("events: /%s/ matches and must not", p.source)
		}
	}
	return bad
}
