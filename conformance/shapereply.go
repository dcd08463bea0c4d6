package conformance

import (
	"fmt"
	"slices"
)

// codeOf says which code each detail comes with (contract 14.2).
var codeOf = map[string]string{
	"invalid_input": "invalid_input", "invalid_config": "invalid_input", "unsupported_language": "invalid_input",
	"typescript_transform_failed": "invalid_input", "module_access_denied": "invalid_input", "snapshot_expired": "invalid_input",
	"wrong_scope": "invalid_input", "already_resuming": "invalid_input", "too_many_suspended_runs": "invalid_input",
	"too_many_pending_tool_calls": "invalid_input",

	"guest_error": "internal_error", "nested_tool_failed": "internal_error", "memory_limit_exceeded": "internal_error",
	"snapshot_restore_failed": "internal_error", "replay_diverged": "internal_error", "attempts_exhausted": "internal_error",
	"internal_error": "internal_error",

	"runtime_unavailable": "runtime_unavailable", "timeout": "timeout", "output_limit_exceeded": "output_limit_exceeded",
	"snapshot_limit_exceeded": "snapshot_limit_exceeded", "aborted": "aborted",
}

var (
	codes  = []string{"invalid_input", "runtime_unavailable", "timeout", "output_limit_exceeded", "snapshot_limit_exceeded", "aborted", "internal_error"}
	phases = []string{"input", "guest", "bridge", "host"}
)

// checkReply judges a Reply of protocol 5 to the job of this kind, exec or wait.
func checkReply(v any, tenant, runID, jobID, kind string) violations {
	reply, ok := v.(*object)
	if !ok {
		return violations{"reply is no object"}
	}
	bad := checkEnvelope(reply, tenant, runID, jobID)
	result, ok := reply.get("result").(*object)
	if !ok {
		bad.add("reply.result is no object")
		return bad
	}
	bad = append(bad, checkOutput(result.get("output"))...)
	bad = append(bad, checkTelemetry(result.get("telemetry"))...)
	if _, ok := result.get("replaySafe").(bool); !ok {
		bad.add("replaySafe is neither true nor false")
	}
	switch result.get("status") {
	case any("completed"):
		if !result.has("value") {
			bad.add("a completed result lacks its value")
		}
		bad = append(bad, checkLegs(result, kind)...)
	case any("waiting"):
		bad = append(bad, checkWaiting(result, runID)...)
		bad = append(bad, checkLegs(result, kind)...)
	case any("failed"):
		bad = append(bad, checkFailed(result, kind)...)
	default:
		bad.add("status %s is unknown", short(result.get("status")))
	}
	return bad
}

func checkEnvelope(reply *object, tenant, runID, jobID string) violations {
	var bad violations
	bad.want("reply.v", reply.get("v"), 1.0)
	bad.want("reply.tenant", reply.get("tenant"), tenant)
	bad.want("reply.runId", reply.get("runId"), runID)
	bad.want("reply.jobId", reply.get("jobId"), jobID)
	if !isText(reply.get("worker")) {
		bad.add("reply names no worker")
	}
	if !isInt(reply.get("attempt"), 1) {
		bad.add("reply.attempt %s is no count from 1", short(reply.get("attempt")))
	}
	timing, ok := reply.get("timing").(*object)
	if !ok {
		bad.add("reply.timing is no object")
		return bad
	}
	for _, k := range []string{"queuedMs", "vmMs", "toolMs", "totalMs"} {
		if ms, ok := timing.get(k).(float64); !ok || ms < 0 {
			bad.add("reply.timing.%s %s is no time", k, short(timing.get(k)))
		}
	}
	return bad
}

func checkOutput(v any) violations {
	items, ok := v.([]any)
	if !ok {
		return violations{"output is no list"}
	}
	var bad violations
	for i, item := range items {
		o, ok := item.(*object)
		_, text := o.get("text").(string)
		switch {
		case !ok:
			bad.add("output[%d] is no object", i)
		case o.get("type") == any("text"):
			if !text {
				bad.add("output[%d] of type text lacks its text", i)
			}
		case o.get("type") == any("json"):
			if !o.has("value") {
				bad.add("output[%d] of type json lacks its value", i)
			}
		default:
			bad.add("output[%d] is of type %s", i, short(o.get("type")))
		}
	}
	return bad
}

// checkTelemetry judges the telemetry of any result (contract 16.1).
func checkTelemetry(v any) violations {
	t, ok := v.(*object)
	if !ok {
		return violations{"telemetry is no object"}
	}
	var bad violations
	for _, k := range []string{"catalogSize", "searchCount", "describeCount", "callCount", "legs"} {
		if !isInt(t.get(k), 0) {
			bad.add("telemetry.%s %s is no count", k, short(t.get(k)))
		}
	}
	bad = append(bad, checkSources(t)...)
	visible, _ := t.get("visibleTools").([]any)
	if len(visible) < 2 || visible[0] != any("exec") || visible[1] != any("wait") {
		bad.add("telemetry.visibleTools begins with other names than exec and wait: %s", short(t.get("visibleTools")))
	}
	for _, k := range []string{"visibleTools", "calledTools"} {
		if !distinctNames(t.get(k)) {
			bad.add("telemetry.%s is no list of names that differ: %s", k, short(t.get(k)))
		}
	}
	called, _ := t.get("calledTools").([]any)
	if count, ok := t.get("callCount").(float64); ok && float64(len(called)) > count {
		bad.add("telemetry.calledTools is longer than callCount %v", count)
	}
	if t.has("snapshotBytes") && !isInt(t.get("snapshotBytes"), 1) {
		bad.add("telemetry.snapshotBytes %s is no size", short(t.get("snapshotBytes")))
	}
	return bad
}

func checkSources(t *object) violations {
	sources, ok := t.get("sources").(*object)
	if !ok {
		return violations{"telemetry.sources is no object"}
	}
	var bad violations
	sum := 0.0
	for _, k := range []string{"openclaw", "mcp", "client"} {
		if !isInt(sources.get(k), 0) {
			bad.add("telemetry.sources.%s %s is no count", k, short(sources.get(k)))
			continue
		}
		sum += sources.get(k).(float64)
	}
	if size := t.get("catalogSize"); isInt(size, 0) && size != any(sum) {
		bad.add("telemetry.catalogSize %s differs from the sum %v of the sources", short(size), sum)
	}
	return bad
}

func distinctNames(v any) bool {
	list, ok := v.([]any)
	seen := make(map[string]bool, len(list))
	for _, item := range list {
		if !isText(item) || seen[item.(string)] {
			return false
		}
		seen[item.(string)] = true
	}
	return ok
}

func checkWaiting(result *object, runID string) violations {
	var bad violations
	bad.want("runId of a waiting result", result.get("runId"), runID)
	reason := result.get("reason")
	if !isOneOf(reason, []string{"pending_tools", "yield"}) {
		bad.add("reason %s is unknown", short(reason))
	}
	if pending, ok := result.get("pendingToolCalls").([]any); !ok {
		bad.add("pendingToolCalls is no list")
	} else {
		bad = append(bad, checkPending(pending, reason == any("yield"))...)
	}
	telemetry, _ := result.get("telemetry").(*object)
	if !telemetry.has("snapshotBytes") {
		bad.add("a waiting result lacks telemetry.snapshotBytes")
	}
	return bad
}

func checkPending(pending []any, yield bool) violations {
	var bad violations
	methods := make([]any, len(pending))
	yields := len(pending) > 0
	for i, v := range pending {
		item, ok := v.(*object)
		methods[i] = either(item.get("method"), null{})
		yields = yields && methods[i] == any("yield")
		if !ok {
			bad.add("pendingToolCalls[%d] is no object", i)
			continue
		}
		bad = append(bad, checkPendingItem(item, i)...)
	}
	if yields != yield {
		bad.add("the reason does not fit the pending methods %s", short(methods))
	}
	return bad
}

func checkPendingItem(item *object, i int) violations {
	var bad violations
	what := fmt.Sprintf("pendingToolCalls[%d]", i)
	method := item.get("method")
	if !isOneOf(method, toolMethods, swarmMethods, localMethods) {
		bad.add("%s has the unknown method %s", what, short(method))
	}
	callID, _ := item.get("callId").(string)
	m := callIDText.FindStringSubmatch(callID)
	if m == nil || method != any(m[1]) || item.get("id") != any("bridge:"+m[1]+":"+m[2]) {
		bad.add("%s has id %s, method %s and callId %s, which do not fit", what, short(item.get("id")), short(method), short(item.get("callId")))
	}
	if isOneOf(method, toolMethods) && !isText(item.get("toolId")) {
		bad.add("%s lacks its toolId", what)
	}
	if item.has("input") || item.has("args") {
		bad.add("%s gives its input away", what)
	}
	return bad
}

// checkFailed judges a failed result (contract 14.2 and 14.5).
func checkFailed(result *object, kind string) violations {
	var bad violations
	if !isText(result.get("error")) {
		bad.add("a failed result lacks its error text")
	}
	code, detail, phase, sent := result.get("code"), result.get("detail"), result.get("failurePhase"), result.get("bridgeDispatchStarted")
	if !isOneOf(code, codes) {
		bad.add("code %s is unknown", short(code))
	}
	name, _ := detail.(string)
	if want, ok := codeOf[name]; !ok {
		bad.add("detail %s is unknown", short(detail))
	} else if code != any(want) {
		bad.add("detail %s comes with code %s, not %s", name, short(code), want)
	}
	if _, ok := sent.(bool); !ok {
		bad.add("bridgeDispatchStarted is neither true nor false")
	}
	if s, _ := phase.(string); !slices.Contains(phases, s) {
		bad.add("failurePhase %s is unknown", short(phase))
	} else if (s == "bridge") != (kind == "wait" || sent == any(true)) {
		bad.add("failurePhase %s does not fit a failed %s with bridgeDispatchStarted %s", s, kind, short(sent))
	}
	if kind == "wait" && detail == any("snapshot_expired") && sent != any(true) {
		bad.add("bridgeDispatchStarted of a run that nobody knows is not true")
	}
	return bad
}

func checkLegs(result *object, kind string) violations {
	telemetry, _ := result.get("telemetry").(*object)
	legs := telemetry.get("legs")
	switch {
	case kind == "exec" && legs != any(1.0):
		return violations{fmt.Sprintf("telemetry.legs is %s after an exec, not 1", short(legs))}
	case kind == "wait" && !isInt(legs, 2):
		return violations{fmt.Sprintf("telemetry.legs is %s after a wait, not 2 or more", short(legs))}
	}
	return nil
}
