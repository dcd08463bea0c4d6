package vm

import (
	"bufio"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"reflect"
	"strings"
	"testing"
)

// Every cell, given the same answers in the same order, does the same and is frozen to the same bytes:
// in used and in new VMs, suspended never or between every two settlements.
func TestSuspendingEverywhereChangesNothing(t *testing.T) {
	t.Parallel()
	e := testEngine(t)
	cells := sampleCells(t)
	const parts = 4
	for part := range parts {
		t.Run(fmt.Sprint(part), func(t *testing.T) {
			t.Parallel()
			used, unused := oneAtATime(t, e), newEachTime(e)
			for i := part; i < len(cells); i += parts {
				d := driver{cell: cells[i].cell, limits: testLimits(), seed: uint64(i), states: true}
				want := d.play(t, used)
				d.everyPause = true
				if got := d.play(t, used); !reflect.DeepEqual(got, want) {
					t.Errorf("%s: suspended everywhere: %s", cells[i].name, firstDifference(got, want))
				}
				if len(want.Turns) == 1 {
					continue
				}
				if got := d.play(t, unused); !reflect.DeepEqual(got, want) {
					t.Errorf("%s: resumed in new VMs: %s", cells[i].name, firstDifference(got, want))
				}
			}
		})
	}
}

const childEnv = "CODEMODE_TEST_PRINT_TRACES"

// digests gives a digest of each trace, states included.
func digests(t *testing.T, e *Engine) []string {
	t.Helper()
	cells := sampleCells(t)
	rng := rand.New(rand.NewPCG(3, 3))
	for n := range 30 {
		cells = append(cells, namedCell{fmt.Sprintf("random %d", n), randomCell(rng)})
	}
	var out []string
	for i, c := range cells {
		if i%3 != 0 && !strings.HasPrefix(c.name, "testdata/programs/") && !strings.HasPrefix(c.name, "random") {
			continue
		}
		trace := driver{cell: c.cell, limits: testLimits(), seed: uint64(i), states: true, everyPause: i%2 == 0}.play(t, e)
		text, err := json.Marshal(trace)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, fmt.Sprintf("%x %s", sha256.Sum256(text), c.name))
	}
	return out
}

// Another process does the same. The test runs itself once more and compares the digests of all traces.
func TestAnotherProcessDoesTheSame(t *testing.T) {
	t.Parallel()
	const mark = "trace "
	if os.Getenv(childEnv) != "" {
		for _, line := range digests(t, testEngine(t)) {
			fmt.Println(mark + line)
		}
		return
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestAnotherProcessDoesTheSame$", "-test.count=1")
	cmd.Env = append(os.Environ(), childEnv+"=1", "GOMAXPROCS=1")
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	want := digests(t, testEngine(t))
	if err := cmd.Wait(); err != nil {
		t.Fatalf("second process: %v\n%s", err, out.String())
	}
	var got []string
	for lines := bufio.NewScanner(strings.NewReader(out.String())); lines.Scan(); {
		if line, ok := strings.CutPrefix(lines.Text(), mark); ok {
			got = append(got, line)
		}
	}
	if len(got) != len(want) || len(want) < 100 {
		t.Fatalf("second process gave %d traces, want %d", len(got), len(want))
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("second process: %s\nfirst process:  %s", got[i], want[i])
		}
	}
}
