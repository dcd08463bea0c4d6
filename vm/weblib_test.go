package vm

import (
	"encoding/json"
	"os"
	"os/exec"
	"path"
	"reflect"
	"strings"
	"testing"
	"time"
)

// nodeResults runs every program of a folder in Node and gives the JSON of each by name.
func nodeResults(tb testing.TB, folder string) map[string]json.RawMessage {
	tb.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		tb.Fatalf("Node.js 20 or later is needed to compare the guest library with it, and there is no node in PATH: %v", err)
	}
	cmd := exec.Command(node, "guest/testdata/compare.mjs", folder)
	cmd.Env = append(os.Environ(), "TZ=UTC")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		tb.Fatalf("node: %v\n%s", err, stderr.String())
	}
	var results map[string]json.RawMessage
	if err := json.Unmarshal(out, &results); err != nil {
		tb.Fatalf("node printed %.200s: %v", out, err)
	}
	return results
}

// guestResult runs a program in a VM and gives its JSON as compare.mjs does: the value, or {"threw": name}.
func guestResult(tb testing.TB, code string) json.RawMessage {
	tb.Helper()
	limits := testLimits()
	limits.OutputBytes = 4 << 20
	v, err := testEngine(tb).Start(dataHost{}, limits)
	if err != nil {
		tb.Fatal(err)
	}
	defer v.Close()
	turn, err := v.Run(Cell{Code: code}, time.Now().Add(80*time.Second))
	if err != nil {
		tb.Fatalf("ended with %v", err)
	}
	for len(turn.Requests) > 0 && turn.Returned == nil && turn.Thrown == nil { // timers
		open := turn.Requests
		turn = mustSettle(tb, v, Settlement{ID: open[0].ID, Timer: true})
		turn.Requests = append(open[1:], turn.Requests...)
	}
	if turn.Thrown != nil {
		name, _, _ := strings.Cut(turn.Thrown.Text, "\n")
		name, _, _ = strings.Cut(name, ":")
		text, err := json.Marshal(map[string]string{"threw": name})
		if err != nil {
			tb.Fatal(err)
		}
		return text
	}
	return turn.Returned
}

// sameJSON reports whether two JSON texts have the same value.
func sameJSON(tb testing.TB, a, b json.RawMessage) bool {
	tb.Helper()
	var x, y any
	if err := json.Unmarshal(a, &x); err != nil {
		tb.Fatalf("%.200s: %v", a, err)
	}
	if err := json.Unmarshal(b, &y); err != nil {
		tb.Fatalf("%.200s: %v", b, err)
	}
	return reflect.DeepEqual(x, y)
}

// The web platform's globals do what Node's do.
func TestGuestLibraryLikeNode(t *testing.T) {
	t.Parallel()
	const folder = "guest/testdata/web"
	want := nodeResults(t, folder)
	files := sourceFiles(t, folder+"/*.js")
	if len(files) != len(want) {
		t.Errorf("Node ran %d programs of %d", len(want), len(files))
	}
	for _, f := range files {
		name := path.Base(f.name)
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := guestResult(t, f.code); !sameJSON(t, got, want[name]) {
				t.Errorf("got  %.600s\nNode %.600s", got, want[name])
			}
		})
	}
}

// What Node cannot be asked: programs that patch its globals, values on which the standard and Node differ.
func TestGuestLibraryFixedValues(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("guest/webtest_cases.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Name, Code string
		Value      json.RawMessage
	}
	if err := json.Unmarshal(data, &cases); err != nil {
		t.Fatal(err)
	}
	if len(cases) < 15 {
		t.Errorf("only %d cases", len(cases))
	}
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			if got := guestResult(t, c.Code); !sameJSON(t, got, c.Value) {
				t.Errorf("got  %s\nwant %s", got, c.Value)
			}
		})
	}
}
