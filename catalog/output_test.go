package catalog

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
)

func outputTool(t testing.TB, schema string) *Entry {
	t.Helper()
	return lookup(t, decode(t, `[{"source":"openclaw","owner":"o","name":"x","outputSchema":`+schema+`}]`), "x")
}

const (
	badSchema = `Tool "openclaw:o:x" has an invalid outputSchema.`
	badOutput = `Tool "openclaw:o:x" returned details that do not match its declared outputSchema.`
)

// Contract 6.9; conformance group declared-output.
func TestValidateOutput(t *testing.T) {
	t.Parallel()
	rows := `{"type":"array","items":{"type":"object","properties":{"id":{"type":"string"},"paid":{"type":"boolean"}},"required":["id","paid"],"additionalProperties":false}}`
	for _, c := range []struct{ schema, details, want string }{
		{rows, `[{"id":"a","paid":true}]`, ""},
		{rows, `[{"id":7,"secret":"hidden-value"}]`, badOutput},
		{rows, ``, badOutput},
		{`{"type":"null"}`, `null`, ""},
		{`{}`, ``, badOutput},
		{`true`, `{"any":[1]}`, ""}, {`false`, `1`, badOutput},
		{`{"type":"object","properties":{},"additionalProperties":false}`, ``, badOutput},
		{`{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{"type":"number"}},"additionalProperties":false}`, `{"__proto__":"a","constructor":1}`, ""},
		// dialects
		{`{"$schema":"http://json-schema.org/draft-07/schema#","definitions":{"row":{"type":"object","required":["id"]}},"type":"array","items":{"$ref":"#/definitions/row"}}`, `[{"id":"a"}]`, ""},
		{`{"type":"array","prefixItems":[{"type":"string"}]}`, `[5]`, badOutput},
		{`{"$schema":"http://json-schema.org/draft-07/schema#","type":"array","prefixItems":[{"type":"string"}]}`, `[5]`, ""},
		{`{"$schema":"http://json-schema.org/draft-04/schema#","type":"integer","maximum":3,"exclusiveMaximum":true}`, `3`, badOutput},
		{`{"$schema":"https://json-schema.org/draft/2019-09/schema","type":"array","items":[{"type":"string"}]}`, `[5]`, badOutput},
		// formats are not asserted, in any draft
		{`{"type":"string","format":"email"}`, `"nobody"`, ""},
		{`{"$schema":"http://json-schema.org/draft-07/schema#","type":"string","format":"date-time"}`, `"no date"`, ""},
		{`{"$schema":"http://json-schema.org/draft-07/schema#","type":"string","format":"regex"}`, `"("`, ""},
		// references stay inside
		{`{"$defs":{"a":{"type":"string"}},"$ref":"#/$defs/a"}`, `"x"`, ""},
		{`{"$id":"https://example.com/root.json","$defs":{"a":{"$anchor":"A","type":"string"}},"items":{"$ref":"root.json#A"},"type":"array"}`, `["x",1]`, badOutput},
		{`{"type":["object","null"],"properties":{"next":{"$ref":"#"}},"additionalProperties":false}`, `{"next":{"next":null}}`, ""},
		{`{"$dynamicAnchor":"n","type":["object","null"],"properties":{"next":{"$dynamicRef":"#n"}},"additionalProperties":false}`, `{"next":{"other":1}}`, badOutput},
		{`{"$ref":"#"}`, `1`, badOutput},
		// numbers
		{`{"type":"integer"}`, `1e1000000`, badOutput}, {`{"type":"integer"}`, `1.0`, ""}, {`{"maximum":5}`, `5.5`, badOutput},
		// patterns
		{`{"type":"string","pattern":"^\\u0041\\/[^\\\\u]$"}`, `"A/b"`, ""},
		{`{"type":"array","uniqueItems":true}`, `[1,2,1.0]`, badOutput},
	} {
		e := outputTool(t, c.schema)
		var details json.RawMessage
		if c.details != "" {
			details = json.RawMessage(c.details)
		}
		if got := message(e.ValidateOutput(details)); got != c.want || e.CompileOutput() != nil {
			t.Errorf("%s with %s: %q (compile: %v), want %q", c.schema, c.details, got, e.CompileOutput(), c.want)
		}
	}
}

func TestInvalidOutputSchema(t *testing.T) {
	t.Parallel()
	for _, schema := range []string{
		`{"type":"no-such-type"}`, `7`, `"string"`, `{"$ref":"https://example.com/row.json"}`, `{"$ref":"row.json"}`, `{"$ref":"file:///etc/passwd"}`,
		`{"$schema":"https://example.com/draft","type":"string"}`, `{"$ref":"#/$defs/gone"}`, `{"pattern":"("}`, `{"maximum":1e999999}`,
		`{"$ref":"https://json-schema.org/draft/2020-12/schema"}`, `{"items":{"$ref":"http://json-schema.org/draft-07/schema#"}}`,
		`{"$ref":"https://json-schema.org/draft/2020-12/schema#/properties/$vocabulary/additionalProperties"}`,
		`{"properties":{"a":{"minLength":-1}}}`,
		strings.Repeat(`{"items":`, maxSchemaDepth+1) + `{}` + strings.Repeat(`}`, maxSchemaDepth+1),
		`{"enum":[` + strings.Repeat(`1,`, maxSchemaValues) + `2]}`,
	} {
		e := outputTool(t, schema)
		if got := message(e.CompileOutput()); got != badSchema {
			t.Errorf("%.80s: %q", schema, got)
		}
		same(t, "also when validating", message(e.ValidateOutput(json.RawMessage("1"))), badSchema)
	}
}

func TestUndeclaredOutput(t *testing.T) {
	t.Parallel()
	c := decode(t, `[{"source":"client","name":"a","outputSchema":{"type":"no-such-type"}},{"source":"openclaw","name":"b","outputSchema":null}]`)
	for _, e := range c.visible {
		if e.CompileOutput() != nil || e.ValidateOutput(nil) != nil {
			t.Errorf("%s has a contract", e.ID())
		}
	}
}

// The value is for the log alone.
func TestOutputErrorHidesValue(t *testing.T) {
	t.Parallel()
	err := outputTool(t, `{"enum":["a"]}`).ValidateOutput(json.RawMessage(`"hidden-value"`))
	same(t, "text", message(err), badOutput)
	if cause := errors.Unwrap(err); cause == nil {
		t.Error("no cause for the log")
	}
}

// A schema that explores every branch of every level is stopped, and the entry works afterwards.
func TestValidationIsBounded(t *testing.T) {
	t.Parallel()
	e := outputTool(t, `{"oneOf":[{"type":"object","properties":{"a":{"$ref":"#"}}},{"type":"object","properties":{"a":{"$ref":"#"}}},{"type":"null"}]}`)
	deep := strings.Repeat(`{"a":`, 60) + `1` + strings.Repeat(`}`, 60)
	err := e.ValidateOutput(json.RawMessage(deep))
	same(t, "text", message(err), badOutput)
	if !errors.Is(err, errVisits) {
		t.Errorf("the cause is %v", errors.Unwrap(err))
	}
	same(t, "afterwards", message(e.ValidateOutput(json.RawMessage(`null`))), "")
}

// A large honest value is within the bound.
func TestLargeOutput(t *testing.T) {
	t.Parallel()
	e := outputTool(t, `{"type":"array","items":{"anyOf":[{"type":"null"},{"type":"object","properties":{"id":{"type":"integer"},"tags":{"type":"array","items":{"type":"string"}}},"additionalProperties":false}]}}`)
	var rows []string
	for i := range 5_000 {
		rows = append(rows, fmt.Sprintf(`{"id":%d,"tags":["a","b"]}`, i))
	}
	same(t, "error", message(e.ValidateOutput(json.RawMessage("["+strings.Join(rows, ",")+"]"))), "")
}

func TestConcurrentValidation(t *testing.T) {
	t.Parallel()
	e := outputTool(t, `{"type":"array","items":{"type":"number"}}`)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			good, bad := fmt.Sprintf("[%d]", i), fmt.Sprintf(`["%d"]`, i)
			for range 50 {
				if e.ValidateOutput(json.RawMessage(good)) != nil || e.ValidateOutput(json.RawMessage(bad)) == nil {
					t.Error("wrong verdict")
				}
			}
		})
	}
	wg.Wait()
}

func FuzzOutputSchema(f *testing.F) {
	f.Add([]byte(`{"type":"object","properties":{"a":{"$ref":"#"}}}`), []byte(`{"a":{"a":1}}`))
	f.Add([]byte(`{"$schema":"http://json-schema.org/draft-07/schema#","items":[{"pattern":"\\u0041"}]}`), []byte(`["x"]`))
	f.Add([]byte(`{"oneOf":[{"$dynamicRef":"#a"},{"$dynamicAnchor":"a"}],"unevaluatedProperties":false}`), []byte(`{}`))
	f.Fuzz(func(t *testing.T, schema, details []byte) {
		c, err := Decode([]byte(`{"tools":[{"source":"openclaw","owner":"o","name":"x","outputSchema":` + string(schema) + `}]}`))
		if err != nil || len(c.visible) != 1 {
			return
		}
		e := c.visible[0]
		if err := e.ValidateOutput(details); err != nil && !strings.HasPrefix(err.Error(), `Tool "`) {
			t.Fatalf("error %q", err)
		}
	})
}
