package conformance

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"time"
)

var tokenText = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

func (s *abortStep) play(ctx context.Context, r *caseRun, label string) error {
	id := s.id
	switch {
	case s.session && id == "":
		id = plain(either(r.scope.get("sessionId"), ""))
	case !s.session && id == "unknown":
		id = randomRunID()
	case !s.session:
		id = r.lastRunID()
	}
	if s.broadcast {
		return r.gw.conn.Publish(r.gw.subject("abort", abortTokens(s.session, id)...), []byte("{}"))
	}
	body := newObject("runId", id)
	if s.session {
		body = newObject("sessionId", id)
	}
	got, err := r.gw.ask(ctx, "abort", body, 5*time.Second)
	if err != nil {
		return err
	}
	r.report(label, s.judge(got, r.lastRunID()))
	return nil
}

// abortTokens ends the subject of a broadcast (protocol 2).
func abortTokens(session bool, id string) []string {
	if !session {
		return []string{"run", id}
	}
	if !tokenText.MatchString(id) {
		id = "h_" + sha256Hex([]byte(id))[:32]
	}
	return []string{"session", id}
}

func (s *abortStep) judge(v any, runID string) []string {
	got, _ := v.(*object)
	aborted, ok := got.get("aborted").([]any)
	if !ok || got.get("v") != any(1.0) || slices.ContainsFunc(aborted, func(id any) bool { return !textMatches(runIDText, id) }) {
		return []string{"abort has a malformed answer " + short(v)}
	}
	var bad violations
	if s.aborted == any(true) && !slices.Contains(aborted, any(runID)) {
		bad.add("abort deleted %s, which lacks this run", short(aborted))
	}
	if s.aborted == any(false) && len(aborted) > 0 {
		bad.add("abort deleted %s, want none", short(aborted))
	}
	if s.count != nil && !equal(s.count, float64(len(aborted))) {
		bad.add("abort deleted %s, want %s of them", short(aborted), short(s.count))
	}
	return bad
}

func (s *statusStep) play(ctx context.Context, r *caseRun, label string) error {
	id := r.lastRunID()
	if s.stray {
		id = randomRunID()
	}
	v, err := r.gw.ask(ctx, "status", newObject("runId", id), 3*time.Second)
	if err != nil {
		return err
	}
	r.report(label, checkStatus(v))
	got, _ := v.(*object)
	r.report(label, s.expect.judge(got, got))
	return nil
}

func (s *surfaceStep) play(ctx context.Context, r *caseRun, label string) error {
	body := newObject("catalog", either(r.spec.catalog, newObject("tools", []any{})), "config", r.spec.config, "swarm", r.spec.swarm)
	for _, k := range s.body.names() {
		body.set(k, s.body.get(k))
	}
	got, err := r.gw.ask(ctx, "surface", body, 3*time.Second)
	if err != nil {
		return err
	}
	r.report(label, s.judge(got))
	return nil
}

func (s *surfaceStep) judge(v any) []string {
	got, _ := v.(*object)
	tools, ok := got.get("tools").([]any)
	if !ok || got.get("v") != any(1.0) || !textMatches(refText, got.get("catalogRef")) {
		return []string{"surface has a malformed answer " + short(v)}
	}
	var bad violations
	names := make([]any, len(tools))
	for i, t := range tools {
		names[i] = either(either(lookup(t, "name"), lookup(t, "function.name")), null{})
	}
	if !isNone(s.toolNames) && !equal(s.toolNames, names) {
		bad.add("surface has the tools %s, want %s", short(names), short(s.toolNames))
	}
	// A model reads the texts, whatever key they stand under.
	text := strings.Join(appendTexts(nil, tools), "\n")
	for _, c := range []struct {
		what, text    string
		must, mustNot []pattern
	}{{"surface text", text, s.textMatches, s.textNotMatches}, {"surface JSON", encode(tools), s.jsonMatches, s.jsonNotMatches}} {
		for _, p := range c.must {
			if !p.matches(c.text) {
				bad.add("%s: /%s/ does not match", c.what, p.source)
			}
		}
		for _, p := range c.mustNot {
			if p.matches(c.text) {
				bad.add("%s: /%s/ matches and must not", c.what, p.source)
			}
		}
	}
	return bad
}

// appendTexts collects every string that is a value.
func appendTexts(texts []string, v any) []string {
	switch v := v.(type) {
	case string:
		return append(texts, v)
	case []any:
		for _, item := range v {
			texts = appendTexts(texts, item)
		}
	case *object:
		for _, k := range v.names() {
			texts = appendTexts(texts, v.get(k))
		}
	}
	return texts
}
