package main_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// The tests run the program as a process, with an environment of its own.
var binary, cacheDir string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "codemode-worker-*")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	binary, cacheDir = filepath.Join(dir, "worker"), filepath.Join(dir, "cache")
	out, err := exec.Command("go", "build", "-o", binary, ".").CombinedOutput()
	if err != nil {
		fmt.Fprintf(os.Stderr, "build: %v\n%s", err, out)
		os.Exit(1)
	}
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		if err := os.RemoveAll(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		os.Exit(code)
	}))
}

// patience bounds every wait of the tests; none takes nearly as long.
const patience = time.Minute

// process is a started program.
type process struct {
	t      testing.TB
	cmd    *exec.Cmd
	stdout strings.Builder
	done   chan struct{} // closed when it has ended and all it wrote has been read

	mu    sync.Mutex
	lines []string
	more  chan struct{} // closed and replaced with each line
}

// start starts the program with the given variables ("NAME=value") and flags, and kills it when the test ends.
func start(t testing.TB, env []string, args ...string) *process {
	t.Helper()
	p := &process{t: t, cmd: exec.Command(binary, args...), done: make(chan struct{}), more: make(chan struct{})}
	p.cmd.Env = append([]string{"HOME=" + t.TempDir(), "CODEMODE_CACHE_DIR=" + cacheDir, "CODEMODE_HTTP_ADDR=127.0.0.1:0"}, env...)
	p.cmd.Stdout = &p.stdout
	stderr, err := p.cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go p.read(stderr)
	t.Cleanup(func() {
		p.signal(syscall.SIGKILL)
		<-p.done
		if t.Failed() {
			t.Logf("log of the process:\n%s", strings.Join(p.log(), "\n"))
		}
	})
	return p
}

func (p *process) read(stderr io.Reader) {
	lines := bufio.NewScanner(stderr)
	for lines.Scan() {
		p.mu.Lock()
		p.lines = append(p.lines, lines.Text())
		close(p.more)
		p.more = make(chan struct{})
		p.mu.Unlock()
	}
	_ = p.cmd.Wait() // the exit code tells
	close(p.done)
}

func (p *process) log() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.lines[:len(p.lines):len(p.lines)]
}

// line waits for a line of the log that holds all parts.
func (p *process) line(parts ...string) string {
	p.t.Helper()
	limit := time.After(patience)
	for seen := 0; ; {
		p.mu.Lock()
		lines, more := p.lines, p.more
		p.mu.Unlock()
		for ; seen < len(lines); seen++ {
			if containsAll(lines[seen], parts) {
				return lines[seen]
			}
		}
		select {
		case <-more:
		case <-p.done:
			if len(p.log()) > seen {
				continue
			}
			p.t.Fatalf("the process ended with %d and without a line that holds %q", p.cmd.ProcessState.ExitCode(), parts)
		case <-limit:
			p.t.Fatalf("no line holds %q", parts)
		}
	}
}

func containsAll(s string, parts []string) bool {
	for _, part := range parts {
		if !strings.Contains(s, part) {
			return false
		}
	}
	return true
}

func (p *process) signal(s os.Signal) {
	if err := p.cmd.Process.Signal(s); err != nil && !errors.Is(err, os.ErrProcessDone) {
		p.t.Errorf("signal: %v", err)
	}
}

// exit waits for the end of the process and gives its code.
func (p *process) exit() int {
	p.t.Helper()
	select {
	case <-p.done:
	case <-time.After(patience):
		p.t.Fatal("the process does not end")
	}
	return p.cmd.ProcessState.ExitCode()
}

// fails waits for the end and checks the code and the lines that say why.
func (p *process) fails(code int, want ...string) {
	p.t.Helper()
	got := p.exit()
	var lines []string
	for _, line := range p.log() {
		if strings.HasPrefix(line, "worker: ") {
			lines = append(lines, line)
		}
	}
	if got != code || strings.Join(lines, "\n") != strings.Join(want, "\n") {
		p.t.Errorf("exit code %d and\n%s\nwant %d and\n%s", got, strings.Join(lines, "\n"), code, strings.Join(want, "\n"))
	}
}

// ready waits until the worker is ready and gives what its line says of key.
func (p *process) ready(key string) string {
	p.t.Helper()
	_, rest, ok := strings.Cut(p.line("msg=ready"), " "+key+"=")
	if !ok {
		p.t.Fatalf("the ready line has no %s", key)
	}
	value, _, _ := strings.Cut(rest, " ")
	return value
}

// get fetches a path from the worker's HTTP address. Status 0: nobody listens.
func (p *process) get(path string) (status int, body string) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.t.Context(), patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+p.ready("http")+path, nil)
	if err != nil {
		p.t.Fatal(err)
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	res, err := client.Do(req)
	if err != nil {
		return 0, err.Error()
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		p.t.Fatal(err)
	}
	return res.StatusCode, string(data)
}
