package conformance

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// step is one entry of a case's steps. An error of play ends the case; what is
// merely wrong is a problem of the run.
type step interface {
	play(ctx context.Context, r *caseRun, label string) error
}

// jobStep publishes an exec or wait job and, unless as is set, awaits its reply.
type jobStep struct {
	kind  string // exec or wait
	input any    // of an exec

	config, swarm, catalog, forceRestartSafe any // over the case's
	duplicate                                bool

	stray bool // a wait on a run that never was
	back  int  // a wait on the run so many before the last

	scope        *object // over the case's; null removes a key
	as, remember string
	repeat       int
	patience     *time.Duration // nil = the case's
	expect       *expectation
}

// replyStep awaits the reply of a jobStep that has the same as.
type replyStep struct {
	as       string
	patience *time.Duration // nil = the job's
	expect   *expectation
}

// releaseStep lets the answers of a tool with hold go.
type releaseStep struct{ tool string }

type sleepStep struct{ pause time.Duration }

// untilCallsStep waits until so many nested calls have come.
type untilCallsStep struct {
	count    int
	patience time.Duration
}

type abortStep struct {
	session   bool   // else a run
	id        string // "" = the own one, unknown = one that never was (of a run)
	broadcast bool
	aborted   any // absent, true or false
	count     any
}

type statusStep struct {
	stray  bool
	expect *expectation
}

type surfaceStep struct {
	body                        *object
	toolNames                   any
	textMatches, textNotMatches []pattern
	jsonMatches, jsonNotMatches []pattern
}

type eventsStep struct {
	kinds      []string
	has        []any
	notMatches []pattern
}

// stepKinds says by which key a step is known, and what else it may hold.
var stepKinds = []struct {
	kind string
	keys []string
	read func(r *reader, o *object, where string) step
}{
	{"exec", []string{"as", "config", "swarm", "catalog", "scope", "forceRestartSafe", "duplicate", "remember", "maxMs", "expect"}, readJob},
	{"wait", []string{"as", "scope", "repeat", "maxMs", "expect"}, readJob},
	{"reply", []string{"maxMs", "expect"}, readReply},
	{"release", nil, readRelease},
	{"sleepMs", nil, readSleep},
	{"untilCalls", []string{"maxMs"}, readUntilCalls},
	{"abort", []string{"expect"}, readAbort},
	{"status", []string{"expect"}, readStatus},
	{"surface", []string{"expect"}, readSurface},
	{"events", nil, readEvents},
}

func readStep(r *reader, v any, where string) step {
	o := r.object(v, where, nil)
	for _, k := range stepKinds {
		if !o.has(k.kind) {
			continue
		}
		for _, key := range o.names() {
			if key != k.kind && !slices.Contains(k.keys, key) {
				r.defect("%s", at(where, "unknown key "+key))
			}
		}
		return k.read(r, o, where)
	}
	r.defect("%s", at(where, "unknown step "+short(v)))
	return nil
}

func readJob(r *reader, o *object, where string) step {
	s := &jobStep{
		kind: "exec", input: o.get("exec"),
		config: o.get("config"), swarm: o.get("swarm"), catalog: o.get("catalog"), forceRestartSafe: o.get("forceRestartSafe"),
		duplicate: r.flag(o, "duplicate", where),
		as:        r.text(o, "as", where),
		remember:  r.text(o, "remember", where),
		repeat:    int(r.number(o, "repeat", where, 1)),
		patience:  readPatience(r, o, where),
		expect:    readExpectation(r, o.get("expect"), where),
	}
	if o.has("scope") {
		s.scope = r.object(o.get("scope"), at(where, "scope"), nil)
	}
	if o.has("exec") {
		return s
	}
	s.kind = "wait"
	wait := r.object(o.get("wait"), at(where, "wait"), []string{"runId", "back"})
	s.stray = readUnknown(r, wait, where)
	if s.back = int(r.number(wait, "back", where, 0)); s.back < 0 {
		r.defect("%s", at(where, "back is negative"))
	}
	return s
}

// readUnknown reads a runId whose only word is "unknown".
func readUnknown(r *reader, o *object, where string) bool {
	if !o.has("runId") {
		return false
	}
	if o.get("runId") != any("unknown") {
		r.defect("%s", at(where, `runId can only be "unknown"`))
	}
	return true
}

func readPatience(r *reader, o *object, where string) *time.Duration {
	if !o.has("maxMs") {
		return nil
	}
	d := r.millis(o, "maxMs", where, 0)
	return &d
}

func readReply(r *reader, o *object, where string) step {
	return &replyStep{as: r.text(o, "reply", where), patience: readPatience(r, o, where), expect: readExpectation(r, o.get("expect"), where)}
}

func readRelease(r *reader, o *object, where string) step {
	return &releaseStep{tool: r.text(o, "release", where)}
}

func readSleep(r *reader, o *object, where string) step {
	return &sleepStep{pause: min(r.millis(o, "sleepMs", where, 0), time.Minute)}
}

func readUntilCalls(r *reader, o *object, where string) step {
	return &untilCallsStep{count: int(r.number(o, "untilCalls", where, 0)), patience: r.millis(o, "maxMs", where, 10*time.Second)}
}

func readAbort(r *reader, o *object, where string) step {
	body := r.object(o.get("abort"), at(where, "abort"), []string{"runId", "sessionId", "via"})
	s := &abortStep{session: body.has("sessionId")}
	key := "runId"
	if s.session {
		key = "sessionId"
	}
	switch v := body.get(key).(type) {
	case string:
		s.id = v
	case bool:
	default:
		r.defect("%s", at(where, "abort needs a runId or a sessionId"))
	}
	if !s.session && s.id != "" && s.id != "unknown" {
		r.defect("%s", at(where, `abort: runId is neither true nor "unknown"`))
	}
	switch via := r.text(body, "via", where); via {
	case "":
	case "broadcast":
		s.broadcast = true
	default:
		r.defect("%s", at(where, "abort: unknown via "+via))
	}
	if o.has("expect") {
		expect := r.object(o.get("expect"), at(where, "expect"), []string{"aborted", "abortedCount"})
		s.aborted, s.count = expect.get("aborted"), expect.get("abortedCount")
	}
	return s
}

func readStatus(r *reader, o *object, where string) step {
	body := r.object(o.get("status"), at(where, "status"), []string{"runId"})
	return &statusStep{stray: readUnknown(r, body, where), expect: readExpectation(r, o.get("expect"), where)}
}

func readSurface(r *reader, o *object, where string) step {
	s := &surfaceStep{body: r.object(o.get("surface"), at(where, "surface"), nil)}
	if !o.has("expect") {
		return s
	}
	where = at(where, "expect")
	expect := r.object(o.get("expect"), where, []string{"toolNames", "textMatches", "textNotMatches", "jsonMatches", "jsonNotMatches"})
	s.toolNames = expect.get("toolNames")
	s.textMatches = r.patterns(expect, "textMatches", where)
	s.textNotMatches = r.patterns(expect, "textNotMatches", where)
	s.jsonMatches = r.patterns(expect, "jsonMatches", where)
	s.jsonNotMatches = r.patterns(expect, "jsonNotMatches", where)
	return s
}

func readEvents(r *reader, o *object, where string) step {
	where = at(where, "events")
	body := r.object(o.get("events"), where, []string{"kinds", "has", "notMatches"})
	s := &eventsStep{has: r.list(body, "has", where), notMatches: r.patterns(body, "notMatches", where)}
	for _, v := range r.list(body, "kinds", where) {
		kind, ok := v.(string)
		if !ok {
			r.defect("%s", at(where, "kinds holds "+short(v)))
		}
		s.kinds = append(s.kinds, kind)
	}
	return s
}

// readExpectation takes the keys that have a meaning of their own out of an
// expectation; the others are fields of the result.
func readExpectation(r *reader, v any, where string) *expectation {
	if v == nil {
		return nil
	}
	where = at(where, "expect")
	o := r.object(v, where, nil)
	e := &expectation{
		errorMatches:     r.patterns(o, "errorMatches", where),
		errorNotMatches:  r.patterns(o, "errorNotMatches", where),
		valueMatches:     r.patterns(o, "valueMatches", where),
		outputMatches:    r.patterns(o, "outputMatches", where),
		outputNotMatches: r.patterns(o, "outputNotMatches", where),
		valueEquals:      o.get("valueEquals"),
		pendingCount:     o.get("pendingCount"),
		pendingMatches:   r.list(o, "pendingMatches", where),
		within:           readWithin(r, o, where),
		nearNow:          readNearNow(r, o, where),
		differsFrom:      r.text(o, "differsFrom", where),
		fields:           o.clone(),
	}
	for i, alternative := range r.list(o, "anyOf", where) {
		e.anyOf = append(e.anyOf, readExpectation(r, alternative, fmt.Sprintf("%s: anyOf[%d]", where, i)))
	}
	if o.has("anyOf") && len(e.anyOf) == 0 {
		r.defect("%s", at(where, "anyOf has no alternatives"))
	}
	for _, k := range []string{"errorMatches", "errorNotMatches", "valueMatches", "outputMatches", "outputNotMatches", "valueEquals",
		"pendingCount", "pendingMatches", "within", "nearNow", "differsFrom", "anyOf"} {
		e.fields.remove(k)
	}
	return e
}

func readWithin(r *reader, o *object, where string) []span {
	if !o.has("within") {
		return nil
	}
	var out []span
	within := r.object(o.get("within"), at(where, "within"), nil)
	for _, path := range within.names() {
		pair, _ := within.get(path).([]any)
		if len(pair) != 2 {
			r.defect("%s", at(where, "within "+path+" is not [min, max]"))
			continue
		}
		from, ok1 := pair[0].(float64)
		to, ok2 := pair[1].(float64)
		if !ok1 || !ok2 {
			r.defect("%s", at(where, "within "+path+" is not [min, max]"))
		}
		out = append(out, span{path, from, to})
	}
	return out
}

func readNearNow(r *reader, o *object, where string) []span {
	if !o.has("nearNow") {
		return nil
	}
	var out []span
	near := r.object(o.get("nearNow"), at(where, "nearNow"), nil)
	for _, path := range near.names() {
		out = append(out, span{path: path, from: r.number(near, path, at(where, "nearNow"), 0)})
	}
	return out
}
