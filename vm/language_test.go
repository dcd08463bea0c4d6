package vm

import (
	"encoding/json"
	"path"
	"strings"
	"testing"
)

// expectation is the last line of a language program: "// => JSON", with a mark where Node 20 cannot run it.
func expectation(tb testing.TB, f sourceFile) (want json.RawMessage, inNode bool) {
	tb.Helper()
	code := strings.TrimRight(f.code, "\n")
	last := code[strings.LastIndexByte(code, '\n')+1:]
	text, ok := strings.CutPrefix(last, "// =>")
	if !ok {
		tb.Fatalf("%s does not end with its value", f.name)
	}
	text, notInNode := strings.CutPrefix(text, " (not in Node 20)")
	if !json.Valid([]byte(text)) {
		tb.Fatalf("%s: the value %s is no JSON", f.name, text)
	}
	return json.RawMessage(text), !notInNode
}

// The language features that models use do what the standard says, what Node does, and what the files say.
func TestLanguage(t *testing.T) {
	t.Parallel()
	const folder = "testdata/language"
	files := sourceFiles(t, folder+"/*.js")
	if len(files) < 200 {
		t.Errorf("only %d programs", len(files))
	}
	inNode := nodeResults(t, folder)
	for _, f := range files {
		name := path.Base(f.name)
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want, compare := expectation(t, f)
			if got := guestResult(t, f.code); !sameJSON(t, got, want) {
				t.Errorf("%s\ngot  %s\nwant %s", f.code, got, want)
			}
			if compare && !sameJSON(t, inNode[name], want) {
				t.Errorf("Node gives %s", inNode[name])
			}
		})
	}
}
