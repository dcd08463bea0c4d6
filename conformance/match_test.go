package conformance

import (
	"regexp"
	"strings"
	"testing"
)

func TestJudge(t *testing.T) {
	t.Parallel()
	const reply = `{"timing":{"totalMs":50},"result":{"status":"completed","value":{"a":{"x":1,"y":[1,2]},"n":null},"error":null,"list":[{"k":1}],
		"output":[{"type":"text","text":"one"},{"type":"json","value":"two"},{"type":"json","value":{"b":1,"a":2}}],
		"pendingToolCalls":[{"id":"1","m":"a"},{"id":"2","m":"a"}]}}`
	for _, c := range []struct{ expect, want string }{ // want "" = it fits
		{`{}`, ""},
		{`{"status":"completed","value":{"a":{"x":1}}}`, ""},
		{`{"status":"failed"}`, `^status: got "completed", want "failed"$`},
		{`{"value":{"a":{"x":2}}}`, `^value\.a\.x: got 1, want 2$`},
		{`{"value":{"a":{"z":2}}}`, `^value\.a\.z: absent, want 2$`},
		{`{"value":{"a":{"y":[1]}}}`, `^value\.a\.y: got \[1,2\], want \[1\]$`},
		{`{"list":[{}]}`, `^list: got \[{"k":1}\], want \[{}\]$`},
		{`{"value":{"n":null}}`, ""},
		{`{"value":{"n":{}}}`, `^value\.n: got null, want an object like {}$`},
		{`{"gone":null}`, `^gone: absent, want null$`},
		{`{"valueEquals":{"n":null,"a":{"y":[1,2],"x":1}}}`, ""},
		{`{"valueEquals":{"n":null}}`, `^value: got .*, want exactly {"n":null}$`},
		{`{"errorMatches":"^$"}`, ""},
		{`{"errorMatches":["^$","x"]}`, `^error: /x/ does not match ""$`},
		{`{"errorNotMatches":"^$"}`, `^error: /\^\$/ matches "" and must not$`},
		{`{"valueMatches":"^\\{\"a\":\\{\"x\":1,"}`, ""},
		{`{"valueMatches":"nothing"}`, `^value: /nothing/ does not match`},
		{`{"outputMatches":"^one\\n\"two\"\\n\\{\"b\":1,\"a\":2\\}$"}`, ""},
		{`{"outputMatches":"three"}`, `^output: /three/ does not match`},
		{`{"outputNotMatches":["three","two"]}`, `^output: /two/ matches .* and must not$`},
		{`{"pendingCount":2}`, ""},
		{`{"pendingCount":1}`, `^pendingToolCalls: got .*, want 1 of them$`},
		{`{"pendingMatches":[{"id":"2"},{"m":"a"}]}`, ""},
		{`{"pendingMatches":[{"id":"2"},{"id":"2"}]}`, `^pendingToolCalls: none of .* is like {"id":"2"}$`},
		{`{"within":{"value.a.x":[1,1],"reply.timing.totalMs":[0,50],"output.length":[3,3]}}`, ""},
		{`{"within":{"reply.timing.totalMs":[0,49]}}`, `^reply\.timing\.totalMs: got 50, want 0 to 49$`},
		{`{"within":{"value.a.x":[2,3]}}`, `^value\.a\.x: got 1, want 2 to 3$`},
		{`{"within":{"status":[0,1]}}`, `^status: got "completed", want 0 to 1$`},
		{`{"nearNow":{"value.a.x":1000}}`, `^value\.a\.x: got 1, want at most 1000 ms from [0-9]+$`},
		{`{"nearNow":{"value.gone":1e18}}`, `^value\.gone: got absent`},
		{`{"nearNow":{"value.a.x":1e18}}`, ""},
		{`{"anyOf":[{"status":"failed"},{"status":"completed","pendingCount":2}]}`, ""},
		{`{"anyOf":[{"status":"failed"},{"pendingCount":1}]}`, `^fits none of 2 alternatives, the first because status: got`},
		{`{"status":"x","valueEquals":1,"pendingCount":0}`, `^status: .*; value: .*; pendingToolCalls: `},
	} {
		r := &reader{}
		e := readExpectation(r, mustDecode(t, c.expect), "")
		if len(r.defects) > 0 {
			t.Errorf("%s: %v", c.expect, r.defects)
			continue
		}
		envelope := mustObject(t, reply)
		got := strings.Join(e.judge(resultOf(envelope), envelope), "; ")
		if (c.want == "") != (got == "") || !regexp.MustCompile(c.want).MatchString(got) {
			t.Errorf("%s: got %q, want %q", c.expect, got, c.want)
		}
	}
}

// What a worker sends in place of a result must not be more than wrong.
func TestJudgeOfNothing(t *testing.T) {
	t.Parallel()
	r := &reader{}
	e := readExpectation(r, mustDecode(t, `{"status":"x","valueMatches":"^null$","errorMatches":"^$","outputMatches":"^$","pendingCount":0,"within":{"a.b":[0,1]}}`), "")
	got := e.judge(resultOf(nil), nil)
	if want := []string{`status: absent, want "x"`, "a.b: got absent, want 0 to 1"}; strings.Join(got, ";") != strings.Join(want, ";") {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := (*expectation)(nil).judge(nil, nil); got != nil {
		t.Errorf("no expectation wants %q", got)
	}
}

func TestOutputTextOfAnything(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ in, want string }{
		{`[]`, ""}, {`7`, ""}, {`[1,null,{}]`, "\n\n"}, {`[{"type":"text"},{"type":"text","text":5},{"type":"json","value":null}]`, "\n5\nnull"},
	} {
		if got := outputText(mustDecode(t, c.in)); got != c.want {
			t.Errorf("%s: got %q, want %q", c.in, got, c.want)
		}
	}
}
