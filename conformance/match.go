package conformance

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// expectation is what a step wants of a result. Its zero value wants nothing.
type expectation struct {
	fields *object // by subset, key by key

	errorMatches, errorNotMatches   []pattern
	valueMatches                    []pattern
	outputMatches, outputNotMatches []pattern

	valueEquals    any
	pendingCount   any
	pendingMatches []any
	within         []span
	nearNow        []span // from is the distance in ms
	differsFrom    string
	anyOf          []*expectation
}

// span bounds the number at a path.
type span struct {
	path     string
	from, to float64
}

// differences compares want with got: objects by the keys that want lists, at
// every level; lists and scalars exactly.
func differences(want, got any, path string) []string {
	w, ok := want.(*object)
	if !ok {
		if equal(want, got) {
			return nil
		}
		return []string{fmt.Sprintf("%s: got %s, want %s", path, short(got), short(want))}
	}
	g, ok := got.(*object)
	if !ok {
		return []string{fmt.Sprintf("%s: got %s, want an object like %s", path, short(got), short(want))}
	}
	var out []string
	for _, k := range w.names() {
		out = append(out, difference(w, g, k, path+"."+k)...)
	}
	return out
}

func difference(want, got *object, key, path string) []string {
	if !got.has(key) {
		return []string{fmt.Sprintf("%s: absent, want %s", path, short(want.get(key)))}
	}
	return differences(want.get(key), got.get(key), path)
}

func fits(want, got any) bool { return len(differences(want, got, "")) == 0 }

// judge lists how a result falls short. reply is the envelope, which paths that
// start with "reply." lead into.
func (e *expectation) judge(result, reply *object) []string {
	if e == nil {
		return nil
	}
	var bad []string
	for _, k := range e.fields.names() {
		bad = append(bad, difference(e.fields, result, k, k)...)
	}
	bad = append(bad, e.judgeText(result)...)
	if e.valueEquals != nil && !equal(e.valueEquals, result.get("value")) {
		bad = append(bad, fmt.Sprintf("value: got %s, want exactly %s", short(result.get("value")), short(e.valueEquals)))
	}
	bad = append(bad, e.judgePending(result)...)
	bad = append(bad, e.judgeNumbers(result, reply)...)
	return append(bad, e.judgeAlternatives(result, reply)...)
}

func (e *expectation) judgeText(result *object) []string {
	var bad []string
	check := func(name, text string, must, mustNot []pattern) {
		for _, p := range must {
			if !p.matches(text) {
				bad = append(bad, fmt.Sprintf("%s: /%s/ does not match %s", name, p.source, short(text)))
			}
		}
		for _, p := range mustNot {
			if p.matches(text) {
				bad = append(bad, fmt.Sprintf("%s: /%s/ matches %s and must not", name, p.source, short(text)))
			}
		}
	}
	check("error", plain(either(result.get("error"), "")), e.errorMatches, e.errorNotMatches)
	check("value", plain(either(result.get("value"), null{})), e.valueMatches, nil)
	if len(e.outputMatches)+len(e.outputNotMatches) > 0 {
		check("output", outputText(result.get("output")), e.outputMatches, e.outputNotMatches)
	}
	return bad
}

// outputText joins the items by line ends, json items as JSON.
func outputText(output any) string {
	items, _ := output.([]any)
	lines := make([]string, len(items))
	for i, item := range items {
		o, _ := item.(*object)
		key := "value"
		if o.get("type") == "text" {
			key = "text"
		}
		switch v := o.get(key).(type) {
		case nil:
		case string:
			if key == "text" {
				lines[i] = v
				break
			}
			lines[i] = encode(v)
		default:
			lines[i] = encode(v)
		}
	}
	return strings.Join(lines, "\n")
}

func (e *expectation) judgePending(result *object) []string {
	var bad []string
	pending, _ := result.get("pendingToolCalls").([]any)
	if e.pendingCount != nil && e.pendingCount != any(float64(len(pending))) {
		bad = append(bad, fmt.Sprintf("pendingToolCalls: got %s, want %s of them", short(result.get("pendingToolCalls")), short(e.pendingCount)))
	}
	left := slices.Clone(pending)
	for _, want := range e.pendingMatches {
		i := slices.IndexFunc(left, func(got any) bool { return fits(want, got) })
		if i < 0 {
			bad = append(bad, fmt.Sprintf("pendingToolCalls: none of %s is like %s", short(result.get("pendingToolCalls")), short(want)))
			continue
		}
		left = slices.Delete(left, i, i+1)
	}
	return bad
}

func (e *expectation) judgeNumbers(result, reply *object) []string {
	var bad []string
	for _, s := range e.within {
		root, path := result, s.path
		if rest, ok := strings.CutPrefix(path, "reply."); ok {
			root, path = reply, rest
		}
		got := lookup(root, path)
		if f, ok := got.(float64); !ok || f < s.from || f > s.to {
			bad = append(bad, fmt.Sprintf("%s: got %s, want %v to %v", s.path, short(got), s.from, s.to))
		}
	}
	for _, s := range e.nearNow {
		got, now := lookup(result, s.path), float64(time.Now().UnixMilli())
		if f, ok := got.(float64); !ok || math.Abs(now-f) > s.from {
			bad = append(bad, fmt.Sprintf("%s: got %s, want at most %v ms from %.0f", s.path, short(got), s.from, now))
		}
	}
	return bad
}

func (e *expectation) judgeAlternatives(result, reply *object) []string {
	var first []string
	for i, alternative := range e.anyOf {
		bad := alternative.judge(result, reply)
		if len(bad) == 0 {
			return nil
		}
		if i == 0 {
			first = bad
		}
	}
	if len(e.anyOf) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("fits none of %d alternatives, the first because %s", len(e.anyOf), strings.Join(first, "; "))}
}
