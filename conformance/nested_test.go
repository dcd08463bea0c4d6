package conformance

import (
	"strings"
	"testing"
)

func TestNestedCalls(t *testing.T) {
	const (
		spec  = `"tools":{"echo":{"echo":true}},"calls":[{"tool":"echo","input":{"n":1},"id":"bridge:callValue:1","attempt":1}],"steps":[{"exec":{"code":"call"},"expect":{"value":{"n":1}}}]`
		ns    = `"tools":{"openclaw:core:echo":{"result":{"content":[]}}},"steps":[{"exec":{"code":"namespace"},"expect":{"value":{"content":[]}}}]`
		swarm = `"tools":{"method:agentSpawn":{"value":7}},"calls":[{"tool":"method:agentSpawn","argsMatches":"^\\[\"task\"\\]$"}],"steps":[{"exec":{"code":"swarm"},"expect":{"value":7}}]`
	)
	list := []scenario{
		{"right", spec, nil, ""},
		{"right namespace", ns, nil, ""},
		{"right swarm", swarm, nil, ""},
		{"not JSON", `"maxMs":-19950,` + spec, func(w *fakeWorker) { w.rawCall = "[" }, `call callValue-1-[0-9a-f]{8} is not JSON`},
		{"no object", `"maxMs":-19950,` + spec, func(w *fakeWorker) { w.rawCall = "[]" }, `call callValue-1-[0-9a-f]{8} is no object`},
		{"no inbox", spec, func(w *fakeWorker) { w.noInbox = true }, `came without a reply inbox`},
		{"no form", spec, func(w *fakeWorker) { w.callID = "callValue_1" }, `callId callValue_1 has not the form`},
		{"no such tool", `"steps":[{"exec":{"code":"call"},"expect":{"status":"failed"}}]`, nil, `^a call of echo was not to be expected$`},
		{"again", strings.Replace(spec, `"call"`, `"repeat call"`, 1), nil, `calls: no call like`}, // attempt is 2 by then
		{"again without accept", strings.NewReplacer(`"call"`, `"repeat call same attempt"`).Replace(spec), nil, ""},
		{"again after accept", strings.NewReplacer(`"call"`, `"repeat call same attempt"`, `"echo":true`, `"echo":true,"accept":true`).Replace(spec), nil,
			`was accepted and came again with attempt 1`},
		{"raised after accept", strings.NewReplacer(`"call"`, `"repeat call"`, `"echo":true`, `"echo":true,"accept":true`, `"attempt":1`, `"attempt":2`).Replace(spec), nil, ""},
		{"too many", strings.NewReplacer(`"call"`, `"call twice"`).Replace(spec), nil, `calls: 2 came, want 1: \[echo {"n":1}; echo {"n":2}\]`},
		{"too few", strings.NewReplacer(`"call"`, `"value"`).Replace(spec), nil, `calls: 0 came, want 1.*no call like`},
		{"args", swarm, func(w *fakeWorker) { w.editCall = func(c fields) { c["args"] = []any{"other"} } }, `no call like`},
		{"order", `"callsOrdered":true,"calls":[{"input":{"n":2}},{"input":{"n":1}}],"tools":{"echo":{"echo":true}},"steps":[{"exec":{"code":"call twice"},"expect":{}}]`, nil,
			`calls\[0\] is echo {"n":1}, want {"input":{"n":2}}`},
		{"any order", `"calls":[{"input":{"n":2}},{"input":{"n":1}}],"tools":{"echo":{"echo":true}},"steps":[{"exec":{"code":"call twice"},"expect":{}}]`, nil, ""},
	}
	for _, f := range []struct {
		spec, path string
		v          any
		want       string
	}{
		{spec, "v", "1", `call\.v is "1", not 1`},
		{spec, "tenant", nil, `call\.tenant is absent`},
		{spec, "runId", "x", `call\.runId is "x"`},
		{spec, "callId", "callValue-1-00000000", `call\.callId "callValue-1-00000000" differs`},
		{spec, "method", "search", `call\.method "search" is unknown.*belongs to another method`},
		{spec, "attempt", nil, `call\.attempt absent is no count`},
		{spec, "deadline", "soon", `call\.deadline "soon" is no time`},
		{spec, "scope", nil, `call\.scope is no object`},
		{spec, "scope.agentId", "other", `has scope .* which is not the exec job's`},
		{spec, "scope.extra", 1, `has scope .* which is not the exec job's`},
		{spec, "parentToolCallId", nil, `call\.parentToolCallId absent is not the toolCallId "call_1"`},
		{spec, "id", "bridge:callValue:2", `call\.id is "bridge:callValue:2", not "bridge:callValue:1"`},
		{spec, "input", fields{"n": 2}, `has the wrong hash, [0-9a-f]{8} is right`},
		{spec, "toolId", nil, `wrong hash.*call\.toolId is no text`},
		{spec, "toolName", 1, `call\.toolName is no text`},
		{spec, "input", nil, `call\.input is absent`},
		{ns, "namespace", nil, `call\.namespace lacks id or path`},
		{ns, "namespace.path", "f", `call\.namespace lacks id or path`},
		{swarm, "args", "task", `call\.args is no list`},
	} {
		list = append(list, scenario{f.path, f.spec, func(w *fakeWorker) { w.editCall = func(c fields) { put(c, f.path, f.v) } }, f.want})
	}
	runScenarios(t, list)
}
