package main

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"codemode/protocol"
)

func TestSchemasAreUpToDate(t *testing.T) {
	t.Parallel()
	files, err := generate("../..")
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range files {
		if have, err := os.ReadFile(filepath.Join(docs, name)); err != nil || string(have) != string(want) {
			t.Errorf("%s is not what the types give (%v): run go generate ./protocol", name, err)
		}
	}
	there, err := filepath.Glob(filepath.Join(docs, "*.schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range there {
		if files[filepath.Base(path)] == nil {
			t.Errorf("%s belongs to no message", path)
		}
	}
}

// TestEveryTypeHasASchema meets a type that is added to package protocol and that no message has.
func TestEveryTypeHasASchema(t *testing.T) {
	t.Parallel()
	src, err := readSource("../..")
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	files, err := generate("../..")
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range files {
		all.Write(text)
	}
	elsewhere := map[string]bool{
		"Error": true, "ExecInput": true, // of Go alone
		"Job": true, "JobKind": true, "Verb": true, // two messages; tokens of subjects
		"Status": true, "NodeKind": true, "resultCommon": true, // constants and fields of the forms
	}
	for _, m := range messages {
		elsewhere[m.title] = true
	}
	for name := range src.types {
		if elsewhere[name] {
			continue
		}
		if !strings.Contains(all.String(), `"`+name+`"`) {
			t.Errorf("no schema has type %s", name)
		}
	}
}

// TestFieldRulesFitFields meets a rule whose field was renamed.
func TestFieldRulesFitFields(t *testing.T) {
	t.Parallel()
	known := map[string]bool{}
	for _, typ := range []reflect.Type{
		reflect.TypeFor[protocol.Job](), reflect.TypeFor[protocol.CatalogSource](), reflect.TypeFor[protocol.Tool](), reflect.TypeFor[protocol.MCPTool](),
		reflect.TypeFor[protocol.Namespace](), reflect.TypeFor[protocol.Call](), reflect.TypeFor[protocol.CallResult](), reflect.TypeFor[protocol.CallError](),
		reflect.TypeFor[protocol.PendingCall](), reflect.TypeFor[protocol.Event](), reflect.TypeFor[protocol.Reply](), reflect.TypeFor[protocol.Telemetry](),
		reflect.TypeFor[protocol.StatusRequest](), reflect.TypeFor[protocol.StatusResponse](), reflect.TypeFor[protocol.AbortRequest](),
		reflect.TypeFor[protocol.SurfaceRequest](), reflect.TypeFor[protocol.SurfaceResponse](), reflect.TypeFor[protocol.ToolDefinition](),
	} {
		for i := range typ.NumField() {
			name, _, _ := strings.Cut(typ.Field(i).Tag.Get("json"), ",")
			known[typ.Name()+"."+name], known["*."+name] = true, true
		}
	}
	for rule := range fields {
		if !known[rule] {
			t.Errorf("the rule for %s fits no field", rule)
		}
	}
}

// TestPatternsAreThoseOfTheCode holds the patterns against the functions that check tokens.
func TestPatternsAreThoseOfTheCode(t *testing.T) {
	t.Parallel()
	job := func(runID, jobID string) string {
		return `{"v":1,"runId":"` + runID + `","jobId":"` + jobID + `","scope":{}}`
	}
	run := "cm_0123456789abcdef"
	for _, s := range []string{
		"", "a", "A_z-9", "a.b", "a b", "a*", "ä", ">", strings.Repeat("x", 64), strings.Repeat("x", 65), strings.Repeat("x", 255), strings.Repeat("x", 256),
		run, "cm_short", "cm_" + strings.Repeat("a", 64), "cm_" + strings.Repeat("a", 65), "xm_0123456789abcdef", run + ".",
	} {
		for name, c := range map[string]struct {
			err  error
			want bool
		}{
			"job id":         {validate(t, "exec-job", job(run, s)), protocol.ValidJobID(s)},
			"run id":         {validate(t, "exec-job", job(s, "j")), protocol.ValidRunID(s)},
			"run id of wait": {validate(t, "wait-job", job(s, "j")), protocol.RoutableRunID(s)},
		} {
			if (c.err == nil) != c.want {
				t.Errorf("%s %q: the schema says %v, the code says %v", name, s, c.err, c.want)
			}
		}
	}
	for _, s := range []string{
		"call-1-00000000", "callValue-12-0a1b2c3d", "yield-1-ffffffff", "", "call", "call-0-00000000", "call-01-00000000", "call-1-0000000",
		"call-1-0000000G", "call-1-0000000A", "nope-1-00000000", "call-1-00000000-1",
	} {
		_, _, _, want := protocol.ParseCallID(s)
		if err := validate(t, "call-result", `{"v":1,"callId":"`+s+`","ok":true,"value":1}`); (err == nil) != want {
			t.Errorf("call id %q: the schema says %v, the code says %v", s, err, want)
		}
	}
}

// TestResultsHaveTheirFields compares what the code writes with what the schemas name.
func TestResultsHaveTheirFields(t *testing.T) {
	t.Parallel()
	pending := []protocol.PendingCall{{ID: "bridge:call:1", Method: protocol.MethodCall, CallID: "call-1-00000000", ToolID: "openclaw:core:a"}}
	for def, res := range map[string]protocol.Result{
		"CompletedResult": {Status: protocol.StatusCompleted},
		"WaitingResult":   {Status: protocol.StatusWaiting, RunID: "cm_0123456789abcdef", Reason: protocol.ReasonYield, Pending: pending},
		"FailedResult":    {Status: protocol.StatusFailed, Error: "no", Detail: protocol.DetailTimeout, FailurePhase: protocol.PhaseHost},
	} {
		res.Telemetry = protocol.NewTelemetry(1)
		text, err := protocol.Marshal(protocol.Reply{V: 1, Tenant: "t", RunID: "cm_0123456789abcdef", JobID: "j", Result: res, Worker: "w", Attempt: 1})
		if err != nil {
			t.Fatal(err)
		}
		if err := validate(t, "reply", string(text)); err != nil {
			t.Errorf("%s: %v", def, err)
		}
		b := &builder{source: &source{}, fields: fields, types: types}
		result(b)
		var named []string
		for _, p := range b.defs.find(def).Properties {
			named = append(named, p.name)
		}
		if written := keys(t, res); !sameSet(named, written) {
			t.Errorf("%s: the schema names %v, the code writes %v", def, named, written)
		}
	}
}
