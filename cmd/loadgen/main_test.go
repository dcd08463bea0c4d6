//go:build unix

package main_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"codemode/cmd/loadgen/internal/localpool"
)

// The programs, as users have them: side by side.
var bin, cache string

func TestMain(m *testing.M) {
	code, err := build(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func build(m *testing.M) (int, error) {
	dir, err := os.MkdirTemp("", "loadgen-test-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	bin, cache = filepath.Join(dir, "bin"), filepath.Join(dir, "cache")
	out, err := exec.Command("go", "build", "-o", bin+"/", "codemode/cmd/worker", "codemode/cmd/loadgen").CombinedOutput()
	if err != nil {
		return 0, fmt.Errorf("build: %w\n%s", err, out)
	}
	return m.Run(), nil
}

// program is a loadgen that runs, with a temporary folder of its own that must be empty in the end.
type program struct {
	*exec.Cmd
	t              *testing.T
	tmp            string
	stdout, stderr bytes.Buffer
}

func command(t *testing.T, args ...string) *program {
	p := &program{Cmd: exec.CommandContext(t.Context(), filepath.Join(bin, "loadgen"), args...), t: t, tmp: t.TempDir()}
	p.Env = append(os.Environ(), "TMPDIR="+p.tmp, "CODEMODE_CACHE_DIR="+cache, "CODEMODE_LOG_LEVEL=error", "CODEMODE_NATS_URL=nats://nowhere.invalid")
	p.Stdout, p.Stderr = &p.stdout, &p.stderr
	return p
}

// end waits and gives the exit status.
func (p *program) end() int {
	p.t.Helper()
	err := p.Wait()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		p.t.Fatal(err)
	}
	left, err := os.ReadDir(p.tmp)
	if err != nil || len(left) > 0 {
		p.t.Errorf("left in the temporary folder: %v %v", left, err)
	}
	return p.ProcessState.ExitCode()
}

func run(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	p := command(t, args...)
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	code = p.end()
	return code, p.stdout.String(), p.stderr.String()
}

func TestTour(t *testing.T) {
	t.Parallel()
	code, out, errs := run(t, "tour")
	if code != 0 || errs != "" {
		t.Fatalf("exit status %d\n%s\n%s", code, errs, out)
	}
	if strings.Contains(out, "\x1b") {
		t.Error("there are escape sequences although it is no terminal")
	}
	// In this order: each step, its figures, and what they say.
	rest := out
	for _, want := range []string{
		`worker-a +process \d+\n`, `worker-b +process \d+\n`, `ready after +\d+ ms`,
		`\n1\. `, `Promise\.all`, `"status": "completed"`, `"celsius": 21, "dollars": 52\.5`,
		`tools, one by one +1200 ms`, `publish to reply +\d{3} ms`, `in the VM +[\d.]+ ms`, `4 tools, 1 search, 3 calls`,
		`\n2\. `, `interface Order`, `"status": "failed"`, `cell\.ts:9:`, `> +9  const nameOf`, `publish to reply +[\d.]+ ms`,
		`\n3\. `, `ask_person`, `"status": "waiting"`, `"reason": "pending_tools"`, `"pendingToolCalls": \[\{"id": "bridge:callValue:2"`,
		`parked by +worker-[ab], process \d+`, `pending +openclaw:core:ask_person, call id callValue-2-[0-9a-f]{8}`,
		`\n4\. `, `kill -9 \d+`, `worker-[ab] +signal: killed\n`, `result stored +\{"approved":true,"by":"Ada"\}`,
		`\n5\. `, `"status": "completed"`, `"approved": true, "by": "Ada"`, `resumed by +worker-[ab], process \d+`,
		`wait to reply +[\d.]+ ms`, `calls made twice +none, over 2 legs`,
		`\n6\. `, `record in NATS +[\d,]+ bytes`, `VM state, uncompressed +[\d,]+ bytes`, `engine's memory +[\d,]+ bytes`,
		`All six steps showed what they should, in [\d.]+ s`,
	} {
		at := regexp.MustCompile(want).FindStringIndex(rest)
		if at == nil {
			t.Fatalf("the output has no %s where it should:\n%s", want, out)
		}
		rest = rest[at[1]:]
	}
	parked := regexp.MustCompile(`parked by +(worker-.)`).FindStringSubmatch(out)[1]
	resumed := regexp.MustCompile(`resumed by +(worker-.)`).FindStringSubmatch(out)[1]
	if parked == resumed {
		t.Errorf("%s parked the run, was killed, and resumed it", parked)
	}
	ended(t, workerPIDs(out))
}

// workerPIDs finds the processes that the tour has started.
func workerPIDs(out string) []int {
	var pids []int
	for _, m := range regexp.MustCompile(`worker-. +process (\d+)\n`).FindAllStringSubmatch(out, -1) {
		pid, _ := strconv.Atoi(m[1]) // digits
		pids = append(pids, pid)
	}
	return pids
}

func ended(t *testing.T, pids []int) {
	t.Helper()
	if len(pids) != 2 {
		t.Errorf("worker processes %v, want two", pids)
	}
	for _, pid := range pids {
		if err := syscall.Kill(pid, 0); !errors.Is(err, syscall.ESRCH) {
			t.Errorf("worker process %d is left: %v", pid, err)
		}
	}
}

// tourUntil starts a tour and returns once a line with the mark is out, with the output so far.
func tourUntil(t *testing.T, mark string) (p *program, sofar string, rest func() string) {
	t.Helper()
	p = command(t, "tour")
	p.Stdout = nil
	pipe, err := p.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(pipe)
	for !strings.Contains(sofar, mark) {
		line, err := lines.ReadString('\n')
		if err != nil {
			t.Fatalf("the tour ended before %q: %s\n%s", mark, p.stderr.String(), sofar)
		}
		sofar += line
	}
	return p, sofar, func() string {
		all, err := io.ReadAll(lines)
		if err != nil {
			t.Error(err)
		}
		return string(all)
	}
}

func TestInterruptedTourCleansUp(t *testing.T) {
	t.Parallel()
	p, sofar, rest := tourUntil(t, "\n3. ")
	if err := p.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	after := rest()
	if code := p.end(); code != 1 || p.stderr.String() != "loadgen tour: interrupted\n" {
		t.Errorf("exit status %d, errors %q", code, p.stderr.String())
	}
	if strings.Contains(after, "\n4. ") {
		t.Errorf("it went on after the interrupt:\n%s", after)
	}
	ended(t, workerPIDs(sofar))
}

func TestTourThatNobodyReadsCleansUp(t *testing.T) {
	t.Parallel()
	p := command(t, "tour")
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := read.Close(); err != nil {
		t.Fatal(err)
	}
	p.Stdout = write
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	if err := write.Close(); err != nil {
		t.Fatal(err)
	}
	if code := p.end(); code != 1 || p.stderr.String() != "loadgen tour: write /dev/stdout: broken pipe\n" {
		t.Errorf("exit status %d, errors %q", code, p.stderr.String())
	}
}

func TestTourTellsThatItsWorkersWereLost(t *testing.T) {
	t.Parallel()
	p, sofar, rest := tourUntil(t, "\n3. ")
	pids := workerPIDs(sofar)
	for _, pid := range pids {
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
	}
	rest()
	code := p.end()
	line := p.stderr.String()
	if code != 1 || !strings.HasPrefix(line, "loadgen tour: tour failed at step 3 (A tool is slow") ||
		!strings.Contains(line, "worker ended by itself: worker-") || strings.Count(line, "\n") != 1 {
		t.Errorf("exit status %d, errors %q", code, line)
	}
	ended(t, pids)
}

func TestThroughputTable(t *testing.T) {
	t.Parallel()
	code, out, errs := run(t, "throughput", "--cells", "200", "--warmup", "20", "--calls", "2", "--tool-latency", "5ms")
	if code != 0 || errs != "" {
		t.Fatalf("exit status %d\n%s\n%s", code, errs, out)
	}
	for _, want := range []string{
		`(?m)^cells +200, 16 in flight, 2 tool calls each$`, `(?m)^failed +0$`, `(?m)^wall time +[\d.]+ s$`, `(?m)^throughput +\d+ cells/s$`,
		`(?m)^latency +p50 [\d.]+ ms +p95 [\d.]+ ms +p99 [\d.]+ ms +max [\d.]+ ms$`,
		`(?m)^worker, median +queued [\d.]+ ms +vm [\d.]+ ms +tools [\d.]+ ms +total [\d.]+ ms$`,
		`(?m)^machine +\S+, \d+ cores, GOMAXPROCS \d+, go1\S+, nats-server \d+\.\d+\.\d+; `,
	} {
		if !regexp.MustCompile(want).MatchString(out) {
			t.Errorf("no %s in\n%s", want, out)
		}
	}
}

type measured struct {
	Cells          int
	Failed         int
	Failures       map[string]struct{ Count int }
	Waits          int
	CellsPerSecond float64
	LatencyMs      map[string]float64
	WorkerMedianMs map[string]float64
	Machine        struct {
		Cores      int
		NATSServer string
		Embedded   bool
	}
}

func measure(t *testing.T, args ...string) (code int, m measured, errs string) {
	t.Helper()
	code, out, errs := run(t, append([]string{"throughput", "--json", "--warmup", "0"}, args...)...)
	if err := json.Unmarshal([]byte(out), &m); err != nil {
		t.Fatalf("exit status %d, output is no JSON: %v\n%s%s", code, err, out, errs)
	}
	return code, m, errs
}

func TestThroughputJSON(t *testing.T) {
	t.Parallel()
	code, m, errs := measure(t, "--embedded", "--cells", "200", "--concurrency", "8")
	if code != 0 || m.Cells != 200 || m.Failed != 0 || m.CellsPerSecond <= 0 || m.Machine.Cores < 1 || m.Machine.NATSServer == "" || !m.Machine.Embedded {
		t.Errorf("exit status %d, %+v\n%s", code, m, errs)
	}
	l := []float64{m.LatencyMs["p50"], m.LatencyMs["p95"], m.LatencyMs["p99"], m.LatencyMs["max"]}
	if l[0] <= 0 || !slices.IsSorted(l) {
		t.Errorf("latencies %v", m.LatencyMs)
	}
	if w := m.WorkerMedianMs; w["totalMs"] < w["vmMs"] || w["vmMs"] <= 0 || w["toolMs"] != 0 {
		t.Errorf("medians of the worker %v", w)
	}
}

func TestThroughputOfAPoolThatIsThere(t *testing.T) {
	t.Parallel()
	pool, err := localpool.Start(t.Context(), localpool.Options{
		WorkerBin: filepath.Join(bin, "worker"), Env: []string{"CODEMODE_CACHE_DIR=" + cache, "CODEMODE_SUBJECT_PREFIX=own.prefix"},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := pool.Close(); err != nil {
			t.Error(err)
		}
	}()
	if _, err := pool.StartWorker("there"); err != nil {
		t.Fatal(err)
	}
	code, m, errs := measure(t, "--url", pool.URL(), "--prefix", "own.prefix", "--tenant", "acme", "--cells", "50", "--calls", "20", "--concurrency", "4")
	if code != 0 || m.Cells != 50 || m.Failed != 0 || m.Machine.Embedded {
		t.Errorf("exit status %d, %+v\n%s", code, m, errs)
	}
}

func TestThroughputCountsFailures(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "cell.ts")
	code := `const n: number = (await tools.echo({ n: 3 })).n; if (n === 3) throw new Error("on purpose"); return n;`
	if err := os.WriteFile(file, []byte(code), 0o600); err != nil {
		t.Fatal(err)
	}
	status, m, errs := measure(t, "--cells", "20", "--code", file)
	if status != 1 || m.Failed != 20 || m.Failures["guest_error"].Count != 20 || errs != "loadgen throughput: not all cells completed: 20 of 20 failed\n" {
		t.Errorf("exit status %d, %+v, errors %q", status, m, errs)
	}
}

func TestThroughputWaitsForCellsThatPark(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "cell.js")
	if err := os.WriteFile(file, []byte(`await yield_control("rest"); return "rested";`), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, m, errs := measure(t, "--cells", "20", "--code", file); code != 0 || m.Failed != 0 || m.Waits != 20 {
		t.Errorf("exit status %d, %+v\n%s", code, m, errs)
	}
}

func TestHelp(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ args, want string }{
		{"-h", "throughput  measure"},
		{"help", "tour        show"},
		{"tour -h", "-worker-bin path"},
		{"throughput --help", "-tool-latency time"},
	} {
		code, out, errs := run(t, strings.Fields(c.args)...)
		if code != 0 || errs != "" || !strings.Contains(out, "usage: loadgen ") || !strings.Contains(out, c.want) {
			t.Errorf("%s: exit status %d, errors %q, output\n%s", c.args, code, errs, out)
		}
	}
}

func TestBadUsageIsOneLine(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"":                                     "no command",
		"tuor":                                 `no command "tuor"`,
		"tour now":                             `unexpected argument "now"`,
		"tour --fast":                          "fast",
		"throughput 5":                         `unexpected argument "5"`,
		"throughput --cells 0":                 "--cells is 0, want 1 to",
		"throughput --cells x":                 "invalid value",
		"throughput --calls 129":               "--calls is 129, want 0 to 128",
		"throughput --concurrency -1":          "--concurrency is -1",
		"throughput --warmup -1":               "--warmup is -1",
		"throughput --tool-latency -1s":        "--tool-latency",
		"throughput --url nats://h --embedded": "exclude each other",
		"throughput --url h --worker-bin w":    "--worker-bin",
		"throughput --prefix other":            "--prefix is for",
		"throughput --url h --prefix a..b":     "--prefix",
		"throughput --tenant a.b":              `--tenant "a.b"`,
		"throughput --code absent.js":          "absent.js",
		"throughput --code x --calls 1":        "--calls is for",
		"throughput --code /dev/null":          "is empty",
	} {
		code, out, errs := run(t, strings.Fields(args)...)
		if code != 2 || out != "" || strings.Count(errs, "\n") != 1 || !strings.Contains(errs, want) || !strings.HasSuffix(errs, "(-h shows the usage)\n") {
			t.Errorf("%q: exit status %d, output %q, errors %q, want one line with %q", args, code, out, errs, want)
		}
	}
}

func TestFailuresAreOneLine(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"tour --worker-bin /nowhere/worker":        "no worker program at /nowhere/worker: build it",
		"throughput --worker-bin /nowhere/worker":  "no worker program at /nowhere/worker: build it",
		"throughput --worker-bin /etc/passwd":      "it is no executable file",
		"tour --worker-bin /bin/false":             "worker did not get ready: worker-a (exit status 1)",
		"throughput --worker-bin /bin/true":        "worker did not get ready: worker-1 (exit status 0)",
		"throughput --url nats://u:pw@127.0.0.1:1": "cannot reach the NATS server at nats://127.0.0.1:1: ",
	} {
		code, _, errs := run(t, strings.Fields(args)...)
		if code != 1 || strings.Count(errs, "\n") != 1 || !strings.Contains(errs, want) {
			t.Errorf("%q: exit status %d, errors %q, want one line with %q", args, code, errs, want)
		}
	}
}
