package conformance

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestEmbedded(t *testing.T) {
	t.Parallel()
	cases, err := Embedded()
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, c := range cases {
		if names[c.Name] {
			t.Errorf("two cases are named %s", c.Name)
		}
		names[c.Name] = true
		if c.Why == "" || len(c.steps) == 0 {
			t.Errorf("%s says not what it tests or has no steps", c.Name)
		}
	}
	if len(cases) < 200 {
		t.Errorf("only %d cases are embedded", len(cases))
	}
	fromDisk, err := Load("testdata")
	if err != nil || len(fromDisk) != len(cases) {
		t.Errorf("the folder has %d cases, %v; embedded are %d", len(fromDisk), err, len(cases))
	}
}

func TestLoad(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	const one = `{"name":"g/a","steps":[{"exec":{}}]}`
	write("b.json", `[`+strings.Replace(one, "g/a", "g/b", 1)+`]`)
	a := write("a.json", `[`+one+`]`)
	write("notes.txt", `no cases`)
	cases, err := Load(dir, a)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, c := range cases {
		names = append(names, c.Name)
	}
	if got := strings.Join(names, " "); got != "g/a g/b g/a" {
		t.Errorf("got %s", got)
	}
	broken := write("c.json", `[{"name":"g/c","steps":[{"exec":{},"expekt":1}]},{"name":"g/d","stepz":1,"steps":[{"wait":{}}]}]`)
	_, err = Load(broken, filepath.Join(dir, "b.json"))
	if err == nil || !strings.Contains(err.Error(), broken+": g/c: step 1: unknown key expekt\ng/d: unknown key stepz") {
		t.Errorf("got %v", err)
	}
	if _, err := Load(filepath.Join(dir, "none.json")); err == nil {
		t.Error("a file that is not there is loaded")
	}
}

func TestCasesThatAreRefused(t *testing.T) {
	t.Parallel()
	step := func(s string) string { return `[{"name":"g/c","steps":[` + s + `]}]` }
	whole := func(s string) string { return `[{"name":"g/c","steps":[{"exec":{}}],` + s + `}]` }
	for _, c := range []struct{ text, want string }{
		{`{}`, `not an array of cases`},
		{`[`, `unexpected end of JSON input`},
		{`[1]`, `case 1: want an object, got 1`},
		{`[{"steps":[{"exec":{}}]}]`, `case 1: name must be group/short-name`},
		{`[{"name":"x","steps":[{"exec":{}}]}]`, `name must be group/short-name`},
		{`[{"name":"g/c"}]`, `no steps`},
		{`[{"name":"g/c","steps":1}]`, `steps is not a list`},
		{whole(`"expects":1`), `unknown key expects`},
		{whole(`"maxMs":"1"`), `maxMs is not a number`},
		{whole(`"callsOrdered":1`), `callsOrdered is neither true nor false`},
		{whole(`"catalogVia":"post"`), `catalogVia is neither ref nor missing`},
		{whole(`"scope":1`), `scope: want an object`},
		{whole(`"tools":{"t":{"valeu":1}}`), `tools.t: unknown key valeu`},
		{whole(`"tools":{"t":[]}`), `tools.t: no answers`},
		{whole(`"tools":{"t":{"when":[{"inputs":1}]}}`), `tools.t.when[0]: unknown key inputs`},
		{whole(`"tools":{"t":{"when":[{"argsMatches":"("}]}}`), `tools.t.when[0]: argsMatches: pattern /(/`},
		{whole(`"calls":[{"argsMatches":["a"]}]`), `calls[0]: argsMatches is not one pattern`},
		{whole(`"calls":[{"argsMatches":"(?=a)"}]`), `looking around is not expressible in RE2`},
		{step(`{}`), `step 1: unknown step {}`},
		{step(`7`), `step 1: want an object, got 7`},
		{step(`{"exec":{},"valu":1}`), `step 1: unknown key valu`},
		{step(`{"exec":{},"reply":"x"}`), `step 1: unknown key reply`},
		{step(`{"exec":{},"repeat":1}`), `step 1: unknown key repeat`},
		{step(`{"wait":{},"config":1}`), `step 1: unknown key config`},
		{step(`{"wait":{"run":1}}`), `step 1: wait: unknown key run`},
		{step(`{"wait":{"runId":"x"}}`), `step 1: runId can only be "unknown"`},
		{step(`{"wait":{"back":-1}}`), `step 1: back is negative`},
		{step(`{"release":1}`), `step 1: release is not a text`},
		{step(`{"release":"x","maxMs":1}`), `step 1: unknown key maxMs`},
		{step(`{"abort":{}}`), `step 1: abort needs a runId or a sessionId`},
		{step(`{"abort":{"runId":"mine"}}`), `runId is neither true nor "unknown"`},
		{step(`{"abort":{"runId":true,"via":"post"}}`), `abort: unknown via post`},
		{step(`{"abort":{"runId":true},"expect":{"abort":1}}`), `step 1: expect: unknown key abort`},
		{step(`{"surface":{},"expect":{"text":1}}`), `step 1: expect: unknown key text`},
		{step(`{"events":{"kind":[]}}`), `step 1: events: unknown key kind`},
		{step(`{"events":{"kinds":[1]}}`), `step 1: events: kinds holds 1`},
		{step(`{"exec":{},"expect":{"errorMatches":1}}`), `errorMatches holds what is no pattern: 1`},
		{step(`{"exec":{},"expect":{"anyOf":[]}}`), `anyOf has no alternatives`},
		{step(`{"exec":{},"expect":{"anyOf":[{"valueMatches":"a\\1"}]}}`), `anyOf[0]: expect: valueMatches: pattern /a\1/: a back-reference is not expressible in RE2`},
		{step(`{"exec":{},"expect":{"within":{"a":[1]}}}`), `within a is not [min, max]`},
		{step(`{"exec":{},"expect":{"nearNow":{"a":"1"}}}`), `nearNow: a is not a number`},
	} {
		_, err := parseCases([]byte(c.text))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %s", c.text, err, c.want)
		}
	}
}

func FuzzParseCases(f *testing.F) {
	f.Add([]byte(`[{"name":"a/b","tools":{"t":[{"when":[{"input":{},"error":"x"}],"value":1}]},"calls":[{"tool":"t"}],"steps":[{"exec":{},"expect":{"anyOf":[{"within":{"a":[0,1]}}]}},{"abort":{"sessionId":true}}]}]`))
	f.Add([]byte(`[{"steps":[null,{"wait":null},{"events":[]},{"surface":{},"expect":1}]}]`))
	f.Fuzz(func(t *testing.T, data []byte) {
		cases, err := parseCases(data)
		if err == nil {
			for _, c := range cases {
				if !strings.Contains(c.Name, "/") || len(c.steps) == 0 {
					t.Fatalf("%q gives %+v", data, c)
				}
			}
		}
	})
}
