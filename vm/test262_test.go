package vm

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"text/tabwriter"
	"time"
)

// suite is a folder of the layout of test262: harness/ and test/.
type suite struct {
	dir     string
	limit   time.Duration // of one test
	mu      sync.Mutex
	harness map[string]string // by file name
}

type tally struct{ passed, failed, leftOut int }

// hostObject is what test262 wants of a host.
const hostObject = `globalThis.print = (s) => text(String(s));
globalThis.$262 = { global: globalThis, gc() {}, evalScript: (s) => (0, eval)(s), detachArrayBuffer: (b) => { b.transfer(); },
  createRealm() { throw new Error('no realms'); }, agent: { start() { throw new Error('no agents'); } } };`

func (s *suite) harnessFile(name string) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if text, ok := s.harness[name]; ok {
		return text, nil
	}
	data, err := os.ReadFile(filepath.Join(s.dir, "harness", name))
	if err == nil {
		s.harness[name] = string(data)
	}
	return string(data), err
}

func (test suiteTest) harnessNames() []string {
	if test.has("raw") {
		return nil
	}
	names := []string{"assert.js", "sta.js"}
	if test.has("async") {
		names = append(names, "doneprintHandle.js")
	}
	return append(names, test.includes...)
}

// run gives nil if every mode of the test ends as it should.
func (s *suite) run(e *Engine, test suiteTest) error {
	scripts := []string{hostObject}
	for _, name := range test.harnessNames() {
		text, err := s.harnessFile(name)
		if err != nil {
			return err
		}
		scripts = append(scripts, text)
	}
	for _, code := range test.modes() {
		if err := s.runMode(e, test, scripts, code); err != nil {
			return err
		}
	}
	return nil
}

func (s *suite) runMode(e *Engine, test suiteTest, before []string, code string) error {
	limits := testLimits()
	limits.MemoryBytes = 256 << 20
	v, err := e.Start(dataHost{}, limits)
	if err != nil {
		return err
	}
	defer v.Close()
	deadline := time.Now().Add(s.limit)
	if _, err := v.Run(Cell{}, deadline); err != nil {
		return err
	}
	for _, script := range before {
		turn, err := v.script(script, deadline)
		if err == nil && turn.Thrown != nil {
			err = errors.New(turn.Thrown.Text)
		}
		if err != nil {
			return fmt.Errorf("harness: %w", err)
		}
	}
	turn, err := v.script(code, deadline)
	if err != nil {
		return err
	}
	if test.kind != "" {
		if turn.Thrown == nil || !strings.HasPrefix(turn.Thrown.Text, test.kind) {
			return fmt.Errorf("want a %s, got %+v", test.kind, turn.Thrown)
		}
		return nil
	}
	if turn.Thrown != nil {
		return errors.New(turn.Thrown.Text)
	}
	if test.has("async") {
		return v.awaitDone(turn, deadline)
	}
	return nil
}

// awaitDone fires timers until the test says that it is done.
func (v *VM) awaitDone(turn Turn, deadline time.Time) error {
	var timers []Request
	for {
		for _, item := range turn.Output {
			var out struct{ Text string }
			if err := json.Unmarshal(item, &out); err != nil {
				return err
			}
			if out.Text == "Test262:AsyncTestComplete" {
				return nil
			}
			if strings.HasPrefix(out.Text, "Test262:AsyncTestFailure") {
				return errors.New(out.Text)
			}
		}
		timers = append(timers, turn.Requests...)
		if len(timers) == 0 {
			return errors.New("$DONE was not called")
		}
		var err error
		if turn, err = v.Settle(Settlement{ID: timers[0].ID, Timer: true}, deadline); err != nil {
			return err
		}
		timers = timers[1:]
	}
}

// script evaluates a global script, which a cell cannot.
func (v *VM) script(code string, deadline time.Time) (Turn, error) {
	if err := v.enter(deadline); err != nil {
		return Turn{}, err
	}
	err := func() error {
		in := v.in
		src, err := in.put(code)
		if err != nil {
			return err
		}
		in.setFileName(false)
		out, err := in.call(fnEval, uint64(in.ids.context), uint64(src), uint64(len(code)), uint64(in.ids.options))
		if err != nil {
			return err
		}
		if value(out).tag() == tagException {
			if err := v.thrown(false); err != nil {
				return err
			}
		} else if err := in.freeValue(value(out)); err != nil {
			return err
		}
		return v.drain()
	}()
	return v.leave(err)
}

// runSuite runs all tests and gives the tally and the failures by chapter, the two uppermost folders.
func (s *suite) runSuite(e *Engine) (map[string]tally, map[string]string, error) {
	root := filepath.Join(s.dir, "test")
	files := make(chan string)
	tallies, failures := map[string]tally{}, map[string]string{}
	var mu sync.Mutex
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Add(1)
		go func() {
			defer workers.Done()
			for path := range files {
				name, chapter := chapterOf(root, path)
				leftOut, err := s.runFile(e, name, path)
				mu.Lock()
				count := tallies[chapter]
				switch {
				case leftOut:
					count.leftOut++
				case err != nil:
					count.failed++
					failures[name] = err.Error()
				default:
					count.passed++
				}
				tallies[chapter] = count
				mu.Unlock()
			}
		}()
	}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".js") && !strings.Contains(path, "_FIXTURE") {
			files <- path
		}
		return err
	})
	close(files)
	workers.Wait()
	return tallies, failures, err
}

func chapterOf(root, path string) (name, chapter string) {
	name = filepath.ToSlash(strings.TrimPrefix(path, root+string(filepath.Separator)))
	parts := strings.Split(name, "/")
	return name, strings.Join(parts[:min(2, len(parts)-1)], "/")
}

func (s *suite) runFile(e *Engine, name, path string) (leftOut bool, err error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return false, err
	}
	test := readSuiteTest(name, string(data))
	if test.leftOut() {
		return true, nil
	}
	return false, s.run(e, test)
}

// table is the summary of docs/test262.md.
func table(tallies map[string]tally) string {
	var chapters []string
	for c := range tallies {
		chapters = append(chapters, c)
	}
	slices.Sort(chapters)
	var out bytes.Buffer
	w := tabwriter.NewWriter(&out, 0, 1, 1, ' ', 0)
	row := func(name string, t tally) {
		fmt.Fprintf(w, "| %s\t| %d\t| %d\t| %d\t|\n", name, t.passed, t.failed, t.leftOut)
	}
	fmt.Fprint(w, "| chapter\t| passed\t| failed\t| left out\t|\n|---\t|---\t|---\t|---\t|\n")
	var sum tally
	for _, c := range chapters {
		t := tallies[c]
		sum = tally{sum.passed + t.passed, sum.failed + t.failed, sum.leftOut + t.leftOut}
		row(c, t)
	}
	row("all", sum)
	_ = w.Flush() // a buffer takes everything
	return out.String()
}

// TestTest262 runs the suite that TEST262_DIR names and prints its table; TEST262_OUT is a file for the
// table and the failures. Without a suite it runs the sample beside it, whose outcome is known.
func TestTest262(t *testing.T) {
	t.Parallel()
	dir := os.Getenv("TEST262_DIR")
	if dir == "" {
		testSuiteSample(t)
		return
	}
	s := &suite{dir: dir, limit: 30 * time.Second, harness: map[string]string{}}
	tallies, failures, err := s.runSuite(testEngine(t))
	if err != nil || len(tallies) == 0 {
		t.Fatalf("no tests in %s: %v", dir, err)
	}
	t.Log("\n" + table(tallies))
	if out := os.Getenv("TEST262_OUT"); out != "" {
		text := table(tallies) + "\n"
		for _, name := range sortedKeys(failures) {
			reason, _, _ := strings.Cut(failures[name], "\n")
			text += name + ": " + reason + "\n"
		}
		if err := os.WriteFile(out, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func sortedKeys(m map[string]string) []string {
	var out []string
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

func testSuiteSample(t *testing.T) {
	t.Helper()
	s := &suite{dir: "testdata/test262", limit: time.Second, harness: map[string]string{}}
	tallies, failures, err := s.runSuite(testEngine(t))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]tally{
		"language/expressions": {passed: 4},
		"language/statements":  {passed: 4},
		"built-ins/Array":      {passed: 3, leftOut: 2},
		"wrong/runner":         {failed: 6},
	}
	for chapter, count := range want {
		if tallies[chapter] != count {
			t.Errorf("%s: got %+v, want %+v", chapter, tallies[chapter], count)
		}
	}
	for name, reason := range map[string]string{
		"wrong/runner/assertion.js":                "Test262Error: 1 is not 2",
		"wrong/runner/negative-that-passes.js":     "want a TypeError",
		"wrong/runner/negative-of-another-type.js": "want a RangeError",
		"wrong/runner/async-never-done.js":         "$DONE was not called",
		"wrong/runner/async-failure.js":            "Test262:AsyncTestFailure",
		"wrong/runner/endless.js":                  "code mode timeout exceeded",
	} {
		if !strings.HasPrefix(failures[name], reason) {
			t.Errorf("%s failed with %q, want %q", name, failures[name], reason)
		}
		delete(failures, name)
	}
	if len(failures) > 0 {
		t.Errorf("other failures: %v", failures)
	}
	if got := table(tallies); !strings.Contains(got, "| all ") || strings.Count(got, "\n") != 7 {
		t.Errorf("table:\n%s", got)
	}
}
