package conformance

import (
	"context"
	"errors"
	"regexp"
	"strings"
	"testing"
	"time"
)

// scenario plays one case, without its name, against a worker with one flaw.
type scenario struct {
	name  string
	spec  string
	wrong func(w *fakeWorker)
	want  string // what the problems match; "" = there are none
}

func (s scenario) run(t *testing.T) {
	t.Helper()
	cases, err := parseCases([]byte(`[{"name":"t/t",` + s.spec + `}]`))
	if err != nil {
		t.Fatal(err)
	}
	w := startFake(t, s.wrong)
	outcomes, err := Run(t.Context(), cases, Options{Conn: dial(t), Tenant: w.tenant})
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Join(outcomes[0].Problems, " | ")
	if s.want == "" && got != "" {
		t.Errorf("a right worker is refused: %s", got)
	}
	if s.want != "" && !regexp.MustCompile(s.want).MatchString(got) {
		t.Errorf("problems are %q, want a match for %q", got, s.want)
	}
}

func runScenarios(t *testing.T, list []scenario) {
	t.Helper()
	t.Parallel()
	for _, s := range list {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			s.run(t)
		})
	}
}

// Flaws of a reply, of the jobs of any kind.
func reply(path string, v any) func(w *fakeWorker) {
	return func(w *fakeWorker) { w.editReply = func(_ string, r fields) { put(r, path, v) } }
}

// Flaws of replies to wait jobs.
func waitReply(path string, v any) func(w *fakeWorker) {
	return func(w *fakeWorker) {
		w.editReply = func(kind string, r fields) {
			if kind == "wait" {
				put(r, path, v)
			}
		}
	}
}

func TestRepliesToExec(t *testing.T) {
	const spec = `"steps":[{"exec":{"code":"value"},"expect":{"status":"completed","value":{"a":1}}}]`
	list := []scenario{
		{"right", spec, nil, ""},
		{"no service", spec, func(w *fakeWorker) { w.noService = true }, ""},
		{"silence", `"maxMs":-19950,"steps":[{"exec":{"code":"silence"},"expect":{}}]`, nil, `^step 1: no reply within 50ms$`},
		{"not JSON", `"maxMs":-19950,` + spec, func(w *fakeWorker) { w.raw = "{" }, `reply to j1_\w+ is not JSON`},
		{"no object", spec, func(w *fakeWorker) { w.raw = "7" }, `form: reply is no object`},
		{"stranger", spec, func(w *fakeWorker) { w.stranger = true }, `reply to a job nobody that was not sent`},
		{"not forgotten", spec, func(w *fakeWorker) { w.editStatus = func(s fields) { s["state"] = "waiting" } }, `after its end the run's status is .*waiting`},
		{"wrong value", spec, reply("result.value.a", 2), `^step 1: value\.a: got 2, want 1$`},
		{"wrong status", spec, reply("result", failed("timeout", "timeout", "guest", false)), `status: got "failed", want "completed" \(it failed with "Error: boom"\)`},
	}
	for _, f := range []struct {
		path string
		v    any
		want string
	}{
		{"v", 2, `reply\.v is 2, not 1`},
		{"tenant", "x", `reply\.tenant is "x"`},
		{"runId", "x", `reply\.runId is "x"`},
		{"jobId", nil, `reply\.jobId is absent`},
		{"worker", "", `reply names no worker`},
		{"attempt", 0, `reply\.attempt 0 is no count`},
		{"timing", nil, `reply\.timing is no object`},
		{"timing.vmMs", -1, `reply\.timing\.vmMs -1 is no time`},
		{"timing.toolMs", "1", `reply\.timing\.toolMs "1" is no time`},
		{"result", []any{}, `reply\.result is no object`},
		{"result.output", nil, `output is no list`},
		{"result.output.0", 1, `output\[0\] is no object`},
		{"result.output.0.text", 1, `output\[0\] of type text lacks its text`},
		{"result.output.1.value", nil, `output\[1\] of type json lacks its value`},
		{"result.output.0.type", "picture", `output\[0\] is of type "picture"`},
		{"result.replaySafe", "no", `replaySafe is neither true nor false`},
		{"result.value", nil, `a completed result lacks its value`},
		{"result.status", "done", `status "done" is unknown`},
		{"result.telemetry", 1, `telemetry is no object`},
		{"result.telemetry.callCount", 0.5, `telemetry\.callCount 0\.5 is no count`},
		{"result.telemetry.legs", 2, `telemetry\.legs is 2 after an exec, not 1`},
		{"result.telemetry.sources", nil, `telemetry\.sources is no object`},
		{"result.telemetry.sources.mcp", -1, `telemetry\.sources\.mcp -1 is no count`},
		{"result.telemetry.catalogSize", 3, `telemetry\.catalogSize 3 differs from the sum 1`},
		{"result.telemetry.visibleTools", []any{"wait", "exec"}, `visibleTools begins with other names`},
		{"result.telemetry.visibleTools", []any{"exec", "wait", "exec"}, `visibleTools is no list of names that differ`},
		{"result.telemetry.calledTools", fields{"a": 1}, `calledTools is no list of names that differ`},
		{"result.telemetry.calledTools", []any{"a", "b"}, `calledTools is longer than callCount 1`},
		{"result.telemetry.snapshotBytes", 0, `snapshotBytes 0 is no size`},
	} {
		list = append(list, scenario{f.path, spec, reply(f.path, f.v), `step 1: form: .*` + f.want})
	}
	runScenarios(t, list)
}

func TestFailures(t *testing.T) {
	const (
		spec    = `"steps":[{"exec":{"code":"throw"},"expect":{"status":"failed","errorMatches":"^Error: bo+m$"}}]`
		unknown = `"steps":[{"wait":{"runId":"unknown"},"expect":{"status":"failed","code":"invalid_input"}}]`
	)
	runScenarios(t, []scenario{
		{"right", spec, nil, ""},
		{"right unknown run", unknown, nil, ""},
		{"no text", spec, reply("result.error", ""), `a failed result lacks its error text`},
		{"other text", spec, reply("result.error", "TypeError"), `error: /\^Error: bo\+m\$/ does not match "TypeError"`},
		{"code", spec, reply("result.code", "odd"), `code "odd" is unknown`},
		{"detail", spec, reply("result.detail", nil), `detail absent is unknown`},
		{"code for detail", spec, reply("result.code", "timeout"), `detail guest_error comes with code "timeout", not internal_error`},
		{"phase", spec, reply("result.failurePhase", "moon"), `failurePhase "moon" is unknown`},
		{"phase without dispatch", spec, reply("result.failurePhase", "bridge"), `failurePhase bridge does not fit a failed exec with bridgeDispatchStarted false`},
		{"phase with dispatch", spec, reply("result.bridgeDispatchStarted", true), `failurePhase guest does not fit`},
		{"dispatch", spec, reply("result.bridgeDispatchStarted", nil), `bridgeDispatchStarted is neither`},
		{"phase of a wait", unknown, reply("result.failurePhase", "host"), `failurePhase host does not fit a failed wait`},
		{"dispatch of an unknown run", unknown, reply("result.bridgeDispatchStarted", false), `bridgeDispatchStarted of a run that nobody knows`},
	})
}

func TestWaiting(t *testing.T) {
	const (
		spec  = `"steps":[{"exec":{"code":"yield"},"expect":{"status":"waiting","pendingCount":1}},{"status":{},"expect":{"state":"waiting"}},{"wait":{},"expect":{"value":"resumed"}}]`
		twice = `"steps":[{"exec":{"code":"yield twice"},"expect":{}},{"wait":{},"repeat":5,"expect":{"value":"resumed","outputMatches":"^first\nhi\n\"j\"$"}}]`
		tools = `"tools":{"echo":{"value":1}},"steps":[{"exec":{"code":"call and park"},"expect":{"reason":"pending_tools"}},{"wait":{},"expect":{"value":1}}]`
		state = `"steps":[{"exec":{"code":"yield"},"expect":{}},{"status":{},"expect":{"state":"waiting"}},{"status":{"runId":"unknown"},"expect":{"state":"unknown"}}]`
	)
	status := func(k string, v any) func(w *fakeWorker) {
		return func(w *fakeWorker) { w.editStatus = func(s fields) { s[k] = v } }
	}
	const item = "result.pendingToolCalls.0"
	runScenarios(t, []scenario{
		{"right", spec, nil, ""},
		{"right twice", strings.ReplaceAll(twice, "\n", `\n`), nil, ""},
		{"right tools", tools, nil, ""},
		{"right status", state, nil, ""},
		{"runId", spec, reply("result.runId", "cm_other"), `runId of a waiting result is "cm_other"`},
		{"reason", spec, reply("result.reason", "tired"), `reason "tired" is unknown`},
		{"reason for tools", spec, reply("result.reason", "pending_tools"), `the reason does not fit the pending methods \["yield"\]`},
		{"reason for yields", tools, reply("result.reason", "yield"), `the reason does not fit the pending methods \["callValue"\]`},
		{"pending", spec, reply("result.pendingToolCalls", 1), `pendingToolCalls is no list`},
		{"none pending", spec, reply("result.pendingToolCalls", []any{}), `reason does not fit.*pendingToolCalls: got \[\], want 1 of them`},
		{"item", spec, reply(item, "x"), `pendingToolCalls\[0\] is no object`},
		{"method", spec, reply(item+".method", "fly"), `pendingToolCalls\[0\] has the unknown method "fly"`},
		{"callId", spec, reply(item+".callId", "yield-2-01234567"), `which do not fit`},
		{"id", spec, reply(item+".id", "bridge:sleep:1"), `which do not fit`},
		{"toolId", tools, reply(item+".toolId", nil), `pendingToolCalls\[0\] lacks its toolId`},
		{"input", spec, reply(item+".input", fields{}), `pendingToolCalls\[0\] gives its input away`},
		{"bytes", spec, reply("result.telemetry.snapshotBytes", nil), `a waiting result lacks telemetry\.snapshotBytes`},
		{"legs", spec, waitReply("result.telemetry.legs", 1), `step 3: form: telemetry\.legs is 1 after a wait, not 2 or more`},
		{"output of repeated waits", strings.ReplaceAll(twice, "\n", `\n`), waitReply("result.output", []any{}), `step 2: output: (?s:.*) does not match`},
		{"status v", state, status("v", 2), `status has not v 1`},
		{"status state", state, status("state", "busy"), `status\.state "busy" is unknown.*state: got "busy", want "waiting"`},
		{"status expiresAt", state, status("expiresAt", "tomorrow"), `status\.expiresAt "tomorrow" is no time`},
		{"status pending", state, status("pendingToolCalls", 1), `status\.pendingToolCalls is no list`},
		{"status bytes", state, status("snapshotBytes", 0), `status\.snapshotBytes 0 is no size`},
		{"no exec", `"steps":[{"wait":{},"expect":{}}]`, nil, `a wait without its exec`},
	})
}

func TestEvents(t *testing.T) {
	const spec = `"steps":[{"exec":{"code":"yield"},"expect":{}},{"wait":{},"expect":{}},
		{"events":{"kinds":["accepted","started","suspended","resumed","completed"],"has":[{"kind":"suspended","worker":"fake"}],"notMatches":["secret","open word"]}}]`
	event := func(kind, path string, v any) func(w *fakeWorker) {
		return func(w *fakeWorker) {
			w.editEvent = func(e fields) {
				if e["kind"] == kind {
					put(e, path, v)
				}
			}
		}
	}
	runScenarios(t, []scenario{
		{"right", spec, nil, ""},
		{"missing", strings.Replace(spec, `"suspended","resumed"`, `"resumed","suspended"`, 1), nil, `which lacks \[suspended completed\] in this order`},
		{"has", strings.Replace(spec, `"worker":"fake"`, `"worker":"other"`, 1), nil, `no event is like {"kind":"suspended","worker":"other"}`},
		{"secret", spec, event("started", "more", "a secret"), `events: /secret/ matches and must not`},
		{"v", spec, event("started", "v", 0), `event started v is 0, not 1`},
		{"tenant", spec, event("started", "tenant", "x"), `event started tenant is "x"`},
		{"runId", spec, event("started", "runId", nil), `event started runId is absent`},
		{"kind", spec, event("started", "kind", "begun"), `event started kind is "begun".*of a kind that the protocol has not`},
		{"seq", spec, event("started", "seq", 1), `event seq 1 follows 1`},
		{"no seq", spec, event("started", "seq", nil), `event started seq absent is no count`},
		{"at", spec, event("started", "at", "now"), `event started at "now" is no time`},
		{"worker", spec, event("started", "worker", ""), `event started names no worker`},
		{"scope", spec, event("started", "scope", nil), `event started has no scope object`},
	})
}

func TestService(t *testing.T) {
	const (
		abort     = `"steps":[{"exec":{"code":"yield"},"expect":{}},{"abort":{"runId":true},"expect":{"aborted":true,"abortedCount":1}},{"wait":{},"expect":{"status":"failed"}}]`
		none      = `"steps":[{"abort":{"runId":"unknown"},"expect":{"aborted":false}}]`
		broadcast = `"steps":[{"exec":{"code":"until abort"},"as":"x"},{"abort":{"runId":true,"via":"broadcast"}},{"reply":"x","expect":{"detail":"aborted"}}]`
		surface   = `"config":{"enabled":true},"steps":[{"surface":{"swarm":false},"expect":{"toolNames":["exec","wait"],"textMatches":["runs a cell"],"textNotMatches":"asked",
			"jsonMatches":"\"asked\":\\{\"catalog\":\\{\"tools\":\\[\\]\\},\"config\":\\{\"enabled\":true\\},\"swarm\":false\\}","jsonNotMatches":"secret"}}]`
	)
	surfaceWith := func(path string, v any) func(w *fakeWorker) {
		return func(w *fakeWorker) {
			right := w.surface
			w.surface = func(ask fields) any {
				a := right(ask)
				put(a, path, v)
				return a
			}
		}
	}
	aborted := func(v any) func(w *fakeWorker) {
		return func(w *fakeWorker) { w.abort = func(string) any { return v } }
	}
	other := "cm_" + strings.Repeat("x", 20)
	runScenarios(t, []scenario{
		{"abort", abort, nil, ""},
		{"abort nothing", none, nil, ""},
		{"broadcast", broadcast, nil, ""},
		{"broadcast for a session", `"steps":[{"exec":{"code":"until end of session"},"as":"x"},{"abort":{"sessionId":true,"via":"broadcast"}},{"reply":"x","expect":{"detail":"aborted"}}]`, nil, ""},
		{"surface", surface, nil, ""},
		{"abort malformed", abort, aborted(fields{"v": 1, "aborted": "x"}), `abort has a malformed answer`},
		{"abort bad id", abort, aborted(fields{"v": 1, "aborted": []any{"x"}}), `abort has a malformed answer`},
		{"abort without v", abort, aborted(fields{"aborted": []any{}}), `abort has a malformed answer`},
		{"abort lacks", abort, aborted(fields{"v": 1, "aborted": []any{other}}), `abort deleted \["cm_x+"\], which lacks this run`},
		{"abort count", abort, aborted(fields{"v": 1, "aborted": []any{}}), `abort deleted \[\], want 1 of them`},
		{"abort too much", none, aborted(fields{"v": 1, "aborted": []any{other}}), `abort deleted .*, want none`},
		{"no service", abort, func(w *fakeWorker) { w.noService = true }, `ask service for abort: nats: no responders`},
		{"surface malformed", surface, surfaceWith("catalogRef", "x"), `surface has a malformed answer`},
		{"surface off", surface, func(w *fakeWorker) { w.surface = func(fields) any { return fields{"v": 1, "active": false} } }, `surface has a malformed answer`},
		{"surface names", surface, surfaceWith("tools.0.name", "run"), `surface has the tools \["run","wait"\]`},
		{"surface text", surface, surfaceWith("tools.0.description", ""), `surface text: /runs a cell/ does not match`},
		{"surface bad text", surface, surfaceWith("tools.0.more", []any{"asked"}), `surface text: /asked/ matches and must not`},
		{"surface JSON", surface, surfaceWith("tools.0.asked", nil), `surface JSON: /.*/ does not match`},
		{"surface bad JSON", surface, surfaceWith("tools.0.secret", 1), `surface JSON: /secret/ matches and must not`},
	})
}

// What the gateway of a case does must be what the case says.
func TestGatewayPlaysTheCase(t *testing.T) {
	runScenarios(t, []scenario{
		{"job", `"config":{"a":1},"swarm":true,"forceRestartSafe":true,"steps":[{"exec":{"code":"job"},"config":false,"scope":{"agentId":null,"sender":"me"},
			"expect":{"value":{"v":1,"input":{"code":"job"},"config":false,"swarm":true,"forceRestartSafe":true,"catalog":{"inline":{"tools":[]}},"scope":{"sender":"me","toolCallId":"call_1"}},
			"valueMatches":["\"sessionId\":\"sess_","\"runId\":\"cm_"]}}]`, nil, ""},
		{"job without options", `"steps":[{"exec":{"code":"job"},"expect":{"value":{"config":1}}}]`, nil, `value\.config: absent, want 1`},
		{"scope without key", `"steps":[{"exec":{"code":"job"},"scope":{"agentId":null},"expect":{"value":{"scope":{"agentId":"main"}}}}]`, nil, `value\.scope\.agentId: absent`},
		{"own scope", `"scope":{"agentId":"a"},"steps":[{"exec":{"code":"job"},"expect":{"value":{"scope":{"agentId":"a"}},"errorMatches":"^$"}}]`, nil, ""},
		{"catalog", `"catalog":{"tools":[{"name":"t"}]},"steps":[{"exec":{"code":"job"},"expect":{"value":{"catalog":{"inline":{"tools":[{"name":"t"}]}}}}}]`, nil, ""},
		{"catalog by ref", `"catalogVia":"ref","catalog":{"tools":[]},"steps":[{"exec":{"code":"job"},"expect":{"value":{"catalog":{"ref":"` + sha256Hex([]byte(`{"tools":[]}`)) + `"}}}}]`, nil, ""},
		{"catalog missing", `"catalogVia":"missing","steps":[{"exec":{"code":"job"},"expect":{"valueMatches":"\"catalog\":\\{\"ref\":\"[0-9a-f]{64}\"\\}"}}]`, nil, ""},
		{"duplicate", `"steps":[{"exec":{"code":"value"},"duplicate":true,"expect":{"status":"completed"}}]`, nil, ""},
		{"remember", `"steps":[{"exec":{"code":"random"},"remember":"x"},{"exec":{"code":"random"},"expect":{"differsFrom":"x"}}]`, nil, ""},
		{"remember the same", `"steps":[{"exec":{"code":"value"},"remember":"x"},{"exec":{"code":"value"},"expect":{"differsFrom":"x"}}]`, nil, `step 2: value .* does not differ from x`},
		{"near now", `"steps":[{"exec":{"code":"now"},"expect":{"nearNow":{"value":60000}}}]`, nil, ""},
		{"error", `"tools":{"echo":{"error":"no"}},"steps":[{"exec":{"code":"call"},"expect":{"error":"Error: map[message:no]"}}]`, nil, ""},
		{"error object", `"tools":{"echo":{"error":{"message":"no","kind":"k"}}},"steps":[{"exec":{"code":"call"},"expect":{"error":"Error: map[kind:k message:no]"}}]`, nil, ""},
		{"blocked", `"tools":{"echo":{"blocked":"no"}},"steps":[{"exec":{"code":"call"},"expect":{"error":"Error: map[kind:blocked message:no]"}}]`, nil, ""},
		{"nth answer", `"tools":{"echo":[{"value":1},{"value":2}]},"steps":[{"exec":{"code":"call twice"},"expect":{"value":[1,2]}}]`, nil, ""},
		{"last answer repeats", `"tools":{"echo":[{"value":1}]},"steps":[{"exec":{"code":"call twice"},"expect":{"value":[1,1]}}]`, nil, ""},
		{"when", `"tools":{"echo":{"value":1,"when":[{"input":{"n":2},"value":9}]}},"steps":[{"exec":{"code":"call twice"},"expect":{"value":[1,9]}}]`, nil, ""},
		{"when args", `"tools":{"method:agentSpawn":{"error":"e","accept":true,"when":[{"argsMatches":"task","value":9}]}},"steps":[{"exec":{"code":"swarm"},"expect":{"value":9}}]`, nil, ""},
		{"delay", `"tools":{"echo":{"value":1,"delayMs":5}},"steps":[{"exec":{"code":"call"},"expect":{"value":1}}]`, nil, ""},
		{"accept", `"tools":{"echo":{"value":1,"accept":true,"delayMs":5}},"steps":[{"exec":{"code":"call"},"expect":{"value":1}}]`, nil, ""},
		{"hold", `"tools":{"echo":{"value":1,"hold":true}},"steps":[{"exec":{"code":"call"},"as":"x"},{"untilCalls":1},{"sleepMs":1},{"release":"echo"},{"reply":"x","expect":{"value":1}}]`, nil, ""},
		{"never", `"tools":{"echo":{"never":true,"accept":true}},"steps":[{"exec":{"code":"call"},"as":"x"},{"untilCalls":1},{"reply":"x","maxMs":-19950,"expect":{}}]`, nil, `step 3: no reply within 50ms`},
		{"calls do not come", `"steps":[{"exec":{"code":"value"},"as":"x"},{"untilCalls":1,"maxMs":20}]`, nil, `step 2: only 0 of 1 calls came`},
		{"no such job", `"steps":[{"reply":"x","expect":{}}]`, nil, `step 1: there is no job x`},
		{"wait on an earlier run", `"steps":[{"exec":{"code":"yield"},"expect":{}},{"exec":{"code":"value"},"expect":{}},{"wait":{"back":1},"expect":{"value":"resumed"}}]`, nil, ""},
	})
}

func TestReplyTimeLeavesTheQueueOut(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		queuedMs string
		want     bool
	}{{"0", true}, {"2500", false}, {"1500", true}, {"-9000", true}, {`"2500"`, true}, {"1e9", false}} {
		r := &caseRun{gw: &gateway{tenant: "default"}, spec: &Case{}}
		v, err := decode([]byte(`{"timing":{"queuedMs":` + c.queuedMs + `}}`))
		if err != nil {
			t.Fatal(err)
		}
		now := time.Now()
		s := &slot{sent: now.Add(-3 * time.Second), at: now, reply: v, done: make(chan struct{})}
		close(s.done)
		if _, err := r.receive(t.Context(), s, time.Second, "step 1"); err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(strings.Join(r.problems, "|"), "the reply took "); got != c.want {
			t.Errorf("queuedMs %s: late is %v, want %v", c.queuedMs, got, c.want)
		}
	}
}

func TestRunChoosesAndReports(t *testing.T) {
	t.Parallel()
	cases, err := parseCases([]byte(`[{"name":"a/one","steps":[{"exec":{"code":"value"},"expect":{"status":"completed"}}]},
		{"name":"b/two","steps":[{"exec":{"code":"value"},"expect":{"status":"failed"}}]},
		{"name":"b/three","steps":[{"exec":{"code":"value"},"expect":{"status":"completed"}}]}]`))
	if err != nil {
		t.Fatal(err)
	}
	w := startFake(t, nil)
	var done []string
	outcomes, err := Run(t.Context(), cases, Options{
		Conn: dial(t), Tenant: w.tenant, Only: regexp.MustCompile("^b/"), Log: t.Logf,
		Done: func(o Outcome) { done = append(done, o.Name) },
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(outcomes) != 2 || outcomes[0].Name != "b/two" || outcomes[1].Name != "b/three" || outcomes[0].Passed() || !outcomes[1].Passed() {
		t.Errorf("outcomes are %+v", outcomes)
	}
	if len(done) != 2 || outcomes[0].Took <= 0 {
		t.Errorf("done was told of %v", done)
	}
}

func TestRunStopsWithItsContext(t *testing.T) {
	t.Parallel()
	cases, err := parseCases([]byte(`[{"name":"a/one","tools":{"echo":{"never":true}},"steps":[{"exec":{"code":"call"},"expect":{}}]}]`))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	w := startFake(t, func(w *fakeWorker) { w.editCall = func(fields) { cancel() } })
	outcomes, err := Run(ctx, cases, Options{Conn: dial(t), Tenant: w.tenant})
	if !errors.Is(err, context.Canceled) || len(outcomes) != 1 || !strings.Contains(outcomes[0].Problems[0], "stopped: context canceled") {
		t.Errorf("got %+v, %v", outcomes, err)
	}
}

func TestRunRefusesOptions(t *testing.T) {
	t.Parallel()
	conn := dial(t)
	for _, o := range []Options{{}, {Conn: conn, Tenant: "a.b"}, {Conn: conn, Prefix: "cm."}, {Conn: conn, Prefix: "*"}} {
		if _, err := Run(t.Context(), nil, o); !errors.Is(err, ErrOptions) {
			t.Errorf("tenant %q, prefix %q: %v, want ErrOptions", o.Tenant, o.Prefix, err)
		}
	}
}
