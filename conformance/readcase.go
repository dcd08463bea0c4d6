package conformance

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

var caseKeys = []string{"name", "why", "config", "swarm", "forceRestartSafe", "catalog", "catalogVia", "scope", "tools", "steps", "calls", "callsOrdered", "maxMs"}

func readCase(r *reader, v any) Case {
	o := r.object(v, "", caseKeys)
	c := Case{
		Name:             r.text(o, "name", ""),
		Why:              r.text(o, "why", ""),
		config:           o.get("config"),
		swarm:            o.get("swarm"),
		forceRestartSafe: o.get("forceRestartSafe"),
		catalog:          o.get("catalog"),
		catalogVia:       r.text(o, "catalogVia", ""),
		callsOrdered:     r.flag(o, "callsOrdered", ""),
		patience:         r.millis(o, "maxMs", "", 15*time.Second),
	}
	if !strings.Contains(c.Name, "/") {
		r.defect("name must be group/short-name")
	}
	if !slices.Contains([]string{"", "ref", "missing"}, c.catalogVia) {
		r.defect("catalogVia is neither ref nor missing")
	}
	if o.has("scope") {
		c.scope = r.object(o.get("scope"), "scope", nil)
	}
	if o.has("tools") {
		c.tools = readTools(r, r.object(o.get("tools"), "tools", nil))
	}
	c.checkCalls = o.has("calls")
	for i, w := range r.list(o, "calls", "") {
		c.calls = append(c.calls, readWantedCall(r, w, fmt.Sprintf("calls[%d]", i)))
	}
	steps := r.list(o, "steps", "")
	if len(steps) == 0 {
		r.defect("no steps")
	}
	for i, s := range steps {
		c.steps = append(c.steps, readStep(r, s, fmt.Sprintf("step %d", i+1)))
	}
	return c
}

func readWantedCall(r *reader, v any, where string) wantedCall {
	o := r.object(v, where, nil)
	w := wantedCall{source: v, tool: o.get("tool"), id: o.get("id"), input: o.get("input"), argsMatches: r.pattern(o, "argsMatches", where), rest: o.clone()}
	for _, k := range []string{"tool", "id", "input", "argsMatches"} {
		w.rest.remove(k)
	}
	return w
}

// answerKinds are the keys that say what is answered, the one that wins first.
var answerKinds = []string{"never", "error", "blocked", "result", "echo", "value"}

var (
	answerKeys      = append([]string{"delayMs", "accept", "hold", "when"}, answerKinds...)
	conditionalKeys = append([]string{"delayMs", "accept", "hold", "input", "argsMatches"}, answerKinds...)
)

func readTools(r *reader, o *object) map[string][]answer {
	tools := make(map[string][]answer, len(o.names()))
	for _, key := range o.names() {
		where := "tools." + key
		list, ok := o.get(key).([]any)
		if !ok {
			list = []any{o.get(key)}
		}
		if len(list) == 0 {
			r.defect("%s", at(where, "no answers"))
		}
		for _, v := range list {
			tools[key] = append(tools[key], readAnswer(r, r.object(v, where, answerKeys), where))
		}
	}
	return tools
}

func readAnswer(r *reader, o *object, where string) answer {
	a := answer{
		delay:  r.millis(o, "delayMs", where, 0),
		accept: r.flag(o, "accept", where),
		hold:   r.flag(o, "hold", where),
	}
	for _, kind := range answerKinds {
		v := o.get(kind)
		// never and echo are switches; the others count by being there.
		if v == nil || (kind == "never" || kind == "echo") && !r.flag(o, kind, where) {
			continue
		}
		a.kind, a.payload = kind, v
		break
	}
	base := o.clone()
	base.remove("when")
	for i, w := range r.list(o, "when", where) {
		where := fmt.Sprintf("%s.when[%d]", where, i)
		a.when = append(a.when, readConditional(r, base, r.object(w, where, conditionalKeys), where))
	}
	return a
}

// readConditional puts a "when" entry over the one it stands in: an answer
// replaces the answer, but not the delay or the hold.
func readConditional(r *reader, base, o *object, where string) conditional {
	merged := base.clone()
	if slices.ContainsFunc(answerKinds, o.has) {
		for _, kind := range answerKinds {
			merged.remove(kind)
		}
	}
	for _, k := range o.names() {
		if k != "input" && k != "argsMatches" {
			merged.set(k, o.get(k))
		}
	}
	return conditional{input: o.get("input"), argsMatches: r.pattern(o, "argsMatches", where), answer: readAnswer(r, merged, where)}
}
