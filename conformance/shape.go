package conformance

import (
	"fmt"
	"regexp"
	"slices"
)

// violations are the rules of protocol 1 and 4 to 7 and of contract 14 and 16
// that a message breaks.
type violations []string

func (v *violations) add(format string, args ...any) { *v = append(*v, fmt.Sprintf(format, args...)) }

// want adds a violation unless the field has exactly this value.
func (v *violations) want(what string, got, want any) {
	if !equal(got, want) {
		v.add("%s is %s, not %s", what, short(got), short(want))
	}
}

var (
	toolMethods  = []string{"call", "callValue", "namespace"}
	swarmMethods = []string{"agentSpawn", "agentWait", "swarmNote"}
	localMethods = []string{"search", "describe", "yield", "sleep"}
	eventKinds   = []string{"accepted", "started", "output", "call", "settled", "suspended", "resumed", "phase", "log", "completed", "failed", "expired", "aborted"}

	timeText   = regexp.MustCompile(`^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,9})?(Z|[+-][0-9]{2}:[0-9]{2})$`)
	callIDText = regexp.MustCompile(`^([A-Za-z]+)-([1-9][0-9]*)-([0-9a-f]{8})$`)
	runIDText  = regexp.MustCompile(`^cm_[A-Za-z0-9_-]{16,64}$`)
	refText    = regexp.MustCompile(`^[0-9a-f]{64}$`)
)

func isOneOf(v any, words ...[]string) bool {
	s, ok := v.(string)
	return ok && slices.ContainsFunc(words, func(list []string) bool { return slices.Contains(list, s) })
}

func textMatches(re *regexp.Regexp, v any) bool {
	s, ok := v.(string)
	return ok && re.MatchString(s)
}

// callPayload is what a call hands over: its input, else its arguments.
func callPayload(call *object) any {
	if call.has("input") {
		return call.get("input")
	}
	return call.get("args")
}

// callHash is the h of a callId (protocol 1).
func callHash(method, toolID, payload any) (string, error) {
	text, err := canonical([]any{method, either(toolID, null{}), either(payload, null{})})
	if err != nil {
		return "", err
	}
	return sha256Hex(text)[:8], nil
}

// checkCall judges a Call of protocol 4 by itself and by the subject it came on.
func checkCall(v any, tenant, runID, callID string) violations {
	call, ok := v.(*object)
	if !ok {
		return violations{fmt.Sprintf("call %s is no object", callID)}
	}
	var bad violations
	bad.want("call.v", call.get("v"), 1.0)
	bad.want("call.tenant", call.get("tenant"), tenant)
	bad.want("call.runId", call.get("runId"), runID)
	if call.get("callId") != any(callID) {
		bad.add("call.callId %s differs from %s of its subject", short(call.get("callId")), callID)
	}
	if !isOneOf(call.get("method"), toolMethods, swarmMethods) {
		bad.add("call.method %s is unknown", short(call.get("method")))
	}
	if !isInt(call.get("attempt"), 1) {
		bad.add("call.attempt %s is no count from 1", short(call.get("attempt")))
	}
	if !textMatches(timeText, call.get("deadline")) {
		bad.add("call.deadline %s is no time", short(call.get("deadline")))
	}
	if scope, ok := call.get("scope").(*object); !ok {
		bad.add("call.scope is no object")
	} else if !equal(call.get("parentToolCallId"), scope.get("toolCallId")) {
		bad.add("call.parentToolCallId %s is not the toolCallId %s of the scope", short(call.get("parentToolCallId")), short(scope.get("toolCallId")))
	}
	bad = append(bad, checkCallID(call, callID)...)
	return append(bad, checkCallFields(call)...)
}

func checkCallID(call *object, callID string) violations {
	var bad violations
	m := callIDText.FindStringSubmatch(callID)
	if m == nil {
		bad.add("callId %s has not the form method-n-hash", callID)
		return bad
	}
	if call.get("method") != any(m[1]) {
		bad.add("callId %s belongs to another method than %s", callID, short(call.get("method")))
	}
	bad.want("call.id", call.get("id"), "bridge:"+plain(either(call.get("method"), ""))+":"+m[2])
	h, err := callHash(either(call.get("method"), null{}), call.get("toolId"), callPayload(call))
	if err != nil {
		bad.add("callId %s: its call has no canonical form: %v", callID, err)
	} else if h != m[3] {
		bad.add("callId %s has the wrong hash, %s is right", callID, h)
	}
	return bad
}

// checkCallFields judges what a call must carry for its method.
func checkCallFields(call *object) violations {
	var bad violations
	method := call.get("method")
	if isOneOf(method, toolMethods) {
		for _, k := range []string{"toolId", "toolName"} {
			if _, ok := call.get(k).(string); !ok {
				bad.add("call.%s is no text", k)
			}
		}
		if isNone(call.get("input")) {
			bad.add("call.input is absent")
		}
	}
	if method == any("namespace") {
		ns, _ := call.get("namespace").(*object)
		if _, ok := ns.get("id").(string); !ok || !isList(ns.get("path")) {
			bad.add("call.namespace lacks id or path")
		}
	}
	if isOneOf(method, swarmMethods) && !isList(call.get("args")) {
		bad.add("call.args is no list")
	}
	return bad
}

// checkStatus judges an answer of the status verb (protocol 7).
func checkStatus(v any) violations {
	s, _ := v.(*object)
	if s.get("v") != any(1.0) {
		return violations{"status has not v 1: " + short(v)}
	}
	var bad violations
	if !isOneOf(s.get("state"), []string{"waiting", "unknown"}) {
		bad.add("status.state %s is unknown", short(s.get("state")))
	}
	if s.has("expiresAt") && !textMatches(timeText, s.get("expiresAt")) {
		bad.add("status.expiresAt %s is no time", short(s.get("expiresAt")))
	}
	if s.has("pendingToolCalls") && !isList(s.get("pendingToolCalls")) {
		bad.add("status.pendingToolCalls is no list")
	}
	if s.has("snapshotBytes") && !isInt(s.get("snapshotBytes"), 1) {
		bad.add("status.snapshotBytes %s is no size", short(s.get("snapshotBytes")))
	}
	return bad
}

// checkEvent judges an event of protocol 6 by itself and by its subject.
func checkEvent(v any, tenant, runID, kind string) violations {
	e, ok := v.(*object)
	if !ok {
		return violations{fmt.Sprintf("event %s is no object", kind)}
	}
	var bad violations
	name := "event " + kind
	bad.want(name+" v", e.get("v"), 1.0)
	bad.want(name+" tenant", e.get("tenant"), tenant)
	bad.want(name+" runId", e.get("runId"), runID)
	bad.want(name+" kind", e.get("kind"), kind)
	if !isOneOf(e.get("kind"), eventKinds) {
		bad.add("%s is of a kind that the protocol has not", name)
	}
	if !isInt(e.get("seq"), 0) {
		bad.add("%s seq %s is no count", name, short(e.get("seq")))
	}
	if !textMatches(timeText, e.get("at")) {
		bad.add("%s at %s is no time", name, short(e.get("at")))
	}
	if !isText(e.get("worker")) {
		bad.add("%s names no worker", name)
	}
	if !isObject(e.get("scope")) {
		bad.add("%s has no scope object", name)
	}
	return bad
}
