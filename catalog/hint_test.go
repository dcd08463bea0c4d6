package catalog

import (
	"fmt"
	"strings"
	"testing"

	"codemode/catalog/internal/ordered"
	"codemode/protocol"
)

// Contract 6.5, rule by rule, with the bounds of outputs.
func TestHintRules(t *testing.T) {
	t.Parallel()
	closed := func(props string) string {
		return `{"type":"object","properties":{` + props + `},"additionalProperties":false}`
	}
	long := strings.Repeat("n", 128)
	for _, c := range []struct {
		schema, text string
		complete     bool
	}{
		// 1
		{`true`, "unknown", false}, {`[]`, "unknown", false}, {`"x"`, "unknown", false}, {`{}`, "unknown", true},
		// 2
		{`{"type":"string","nullable":true}`, "string | null", true},
		{`{"type":"string","nullable":false}`, "string", true},
		{`{"type":["string","null"],"nullable":true}`, "string | null", true},
		{`{"type":"string","nullable":"yes"}`, "unknown", false},
		{`{"nullable":true}`, "unknown", false},
		{`{"enum":["a"],"nullable":true}`, "unknown", false},
		{`{"type":["string",1],"nullable":true}`, "unknown", false},
		{`{"type":"string","enum":["a","b"],"nullable":true}`, `"a" | "b" | null`, true},
		{`{"type":"weird","nullable":true}`, "unknown", false},
		{`{"type":"object","nullable":true}`, "{ ... } | null", false},
		// 3
		{`{"anyOf":[{"type":"string"},{"type":"number"}]}`, "string | number", true},
		{`{"oneOf":[{"type":"string"},{"type":"string"}]}`, "string", true},
		{`{"anyOf":[{"type":"string"}],"oneOf":[{"type":"string"}]}`, "unknown", false},
		{`{"anyOf":[]}`, "unknown", false}, {`{"anyOf":{}}`, "unknown", false},
		{`{"anyOf":[{"type":"string"}],"type":"string"}`, "unknown", false},
		{`{"oneOf":[{"type":"string"}],"required":[]}`, "unknown", false},
		{`{"oneOf":[{"type":"string"}],"description":"fine"}`, "string", true},
		{`{"anyOf":[{"const":1},{"const":"b"},{"const":null},{"const":4},{"const":5}]}`, `1 | "b" | null | 4 | 5`, true},
		{`{"anyOf":[{"const":1},{"const":2},{"const":3},{"const":4},{"const":5},{"const":6},{"const":7},{"const":8},{"const":9}]}`, "unknown", false},
		{`{"anyOf":[{"const":"` + strings.Repeat("x", 95) + `"}]}`, "unknown", false},
		{`{"anyOf":[{"type":"string"},{"type":"number"},{"type":"boolean"},{"type":"null"},{"const":1}]}`, "unknown", false},
		{`{"anyOf":[{"type":"string"},{"type":"object"}]}`, "unknown", false},
		{`{"anyOf":[{"const":1},{"type":"string"}]}`, "1 | string", true},
		// 4
		{`{"const":{"b":[1.0,"<"]}}`, `{"b":[1,"<"]}`, true}, {`{"const":null}`, "null", true},
		// 5
		{`{"enum":["a",1,true,null]}`, `"a" | 1 | true | null`, true},
		{`{"enum":[1,1.0]}`, "1", true},
		{`{"type":"string","enum":["1","2","3","4","5","6","7","8","9"]}`, "string", true},
		{`{"type":"string","enum":["` + strings.Repeat("é", 94) + `"]}`, `"` + strings.Repeat("é", 94) + `"`, true},
		{`{"type":"string","enum":["` + strings.Repeat("é", 95) + `"]}`, "string", true},
		{`{"type":"number","enum":[]}`, "number", true}, {`{"enum":"a"}`, "unknown", false},
		// 6
		{`{"type":["integer","null"]}`, "number | null", true}, {`{"type":["integer","number"]}`, "number", true},
		{`{"type":["string"]}`, "string", true}, {`{"type":[]}`, "unknown", false}, {`{"type":["string",null]}`, "unknown", false},
		{`{"type":["string","number","boolean","null","array"]}`, "unknown", false}, {`{"type":["object","null"]}`, "unknown", false},
		{`{"type":["array","null"],"items":{"type":"string"}}`, "Array<string> | null", true},
		// 7
		{`{"type":"boolean"}`, "boolean", true}, {`{"type":"file"}`, "unknown", false}, {`{"description":"x"}`, "unknown", false},
		{`{"type":"array"}`, "Array<unknown>", false}, {`{"type":"array","items":{}}`, "Array<unknown>", true},
		{`{"type":"array","items":{"type":"array","items":{"type":"integer"}}}`, "Array<Array<number>>", true},
		{`{"type":"array","items":[{"type":"string"}]}`, "Array<unknown>", false},
		// 8
		{`{"type":"string","$ref":"#"}`, "string", false}, {`{"$ref":"#/$defs/x"}`, "unknown", false},
		{`{"type":"array","items":{"type":"string"},"prefixItems":[]}`, "Array<string>", false},
		{`{"anyOf":[{"type":"string","allOf":[]},{"type":"number"}]}`, "unknown", false},
		// 9
		{`{"type":"object","additionalProperties":false}`, "{}", true}, {`{"type":"object","properties":{}}`, "{ ... }", false},
		{`{"type":"object","properties":{},"additionalProperties":false,"required":["a"]}`, "{ ... }", false},
		{`{"type":"object","properties":[]}`, "{ ... }", false},
		{closed(`"b":{"type":"string"},"a":{"type":"number"}`), "{ a?: number; b?: string }", true},
		{`{"type":"object","properties":{"z":{"type":"string"},"a":{"type":"string"},"b":{"type":"string"}},"required":["z","b"]}`, "{ b: string; z: string; a?: string; ... }", false},
		{`{"type":"object","properties":{"a":{"type":"string"}},"required":["a","gone"],"additionalProperties":false}`, "{ a: string; ... }", false},
		{`{"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":{}}`, "{ a?: string; ... }", false},
		{closed(`"x-y":{"type":"string"},"__proto__":{"type":"null"},"1a":{},"é":{}`), `{ "1a"?: unknown; __proto__?: null; "x-y"?: string; "é"?: unknown }`, true},
		{closed(`"a":{"type":"object"}`), "{ a?: { ... } }", false},
		{closed(`"` + long + `":{}`), "{ " + long + "?: unknown }", true},
		{closed(`"` + long + `n":{}`), "{ ... }", false},
		{closed(`"` + strings.Repeat("é", 128) + `":{}`), `{ "` + strings.Repeat("é", 128) + `"?: unknown }`, true},
	} {
		v, err := ordered.Parse([]byte(c.schema))
		if err != nil {
			t.Fatalf("%s: %v", c.schema, err)
		}
		if text, complete := (hinter{props: 20, depth: 6}).schema(&v, 0); text != c.text || complete != c.complete {
			t.Errorf("%s:\n got %s %v\nwant %s %v", c.schema, text, complete, c.text, c.complete)
		}
	}
}

func nestedSchema(levels int) string {
	return strings.Repeat(`{"type":"array","items":`, levels) + `{"type":"string"}` + strings.Repeat("}", levels)
}

func propsSchema(count, nameLength int) string {
	var props []string
	for i := range count {
		props = append(props, fmt.Sprintf(`"%0*d":{"type":"null"}`, nameLength, i))
	}
	return `{"type":"object","properties":{` + strings.Join(props, ",") + `},"additionalProperties":false}`
}

// Contract 6.5, the table of bounds; conformance tools/input-hints, declared-output/output-hint.
func TestHintBounds(t *testing.T) {
	t.Parallel()
	hint := func(input, output string) (string, string) {
		return hintsOf(&protocol.Tool{Source: protocol.SourceOpenClaw, Parameters: []byte(input), OutputSchema: []byte(output)})
	}
	in, out := hint(nestedSchema(3), nestedSchema(5))
	same(t, "depth inside the bound", []string{in, out}, []string{"Array<Array<Array<string>>>", "Array<Array<Array<Array<Array<string>>>>>"})
	in, out = hint(nestedSchema(4), nestedSchema(6))
	same(t, "depth at the bound", []string{in, out}, []string{"Array<Array<Array<Array<unknown>>>>", ""})

	in, out = hint(propsSchema(16, 2), propsSchema(20, 2))
	if strings.Contains(in, "...") || strings.Count(in, "null") != 16 || strings.Count(out, "null") != 20 {
		t.Errorf("properties inside the bound: %s, %s", in, out)
	}
	in, out = hint(propsSchema(17, 2), propsSchema(21, 2))
	if !strings.HasSuffix(in, "; ... }") || strings.Count(in, "null") != 16 || out != "" {
		t.Errorf("properties above the bound: %s, %s", in, out)
	}
	literal := func(n int) string { return `{"const":"` + strings.Repeat("é", n-2) + `"}` }
	in, out = hint(literal(300), literal(850))
	same(t, "characters inside the bound", []int{characters(in), characters(out)}, []int{300, 850})
	in, out = hint(literal(301), literal(851))
	same(t, "characters above the bound", []string{in, out}, []string{"unknown", ""})

	in, out = hint("", "")
	same(t, "no schema", []string{in, out}, []string{"unknown", ""})
	in, out = hintsOf(&protocol.Tool{Source: protocol.SourceClient, Parameters: []byte(`{"type":"string"}`), OutputSchema: []byte(`{"type":"string"}`)})
	same(t, "client tool", []string{in, out}, []string{"unknown", ""})
	in, out = hint(`{"type":"object","properties":{"a":{"type":"string"}}}`, `{"type":"object","properties":{"a":{"type":"string"}}}`)
	same(t, "an open output is no hint", []string{in, out}, []string{"{ a?: string; ... }", ""})
}

func FuzzHints(f *testing.F) {
	f.Add([]byte(`{"type":"object","properties":{"a":{"enum":[1,"b"]},"b":{"anyOf":[{"type":"string"},{"type":"null"}]}},"required":["a"]}`))
	f.Add([]byte(`{"type":["array","null"],"items":{"$ref":"#"},"nullable":true}`))
	f.Add([]byte(nestedSchema(9)))
	f.Fuzz(func(t *testing.T, schema []byte) {
		if _, err := ordered.Parse(schema); err != nil {
			return
		}
		tool := &protocol.Tool{Source: protocol.SourceOpenClaw, Parameters: schema, OutputSchema: schema}
		in, out := hintsOf(tool)
		again, _ := hintsOf(tool)
		if in == "" || characters(in) > maxInputHint || characters(out) > maxOutputHint || in != again {
			t.Fatalf("hints %q, %q of %q", in, out, schema)
		}
		e := newEntry(*tool, "openclaw:core:x")
		value(t, e.Described())
		server := &mcpServer{identifier: "s"}
		server.header([]*mcpTool{{entry: e, path: []string{"x"}}})
	})
}
