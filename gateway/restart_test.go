package gateway_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"codemode/gateway"
	"codemode/protocol"
)

const (
	roleEnv  = "CODEMODE_GATEWAY_TEST_ROLE"  // set in the processes of the restart test: the server's URL
	fileEnv  = "CODEMODE_GATEWAY_TEST_FILE"  // where side effects are written down
	cellsEnv = "CODEMODE_GATEWAY_TEST_CELLS" // how many cells, 200 by default
	perCell  = 3
)

// errand is a cell that a replica is told to run, and how it ended.
type errand struct {
	RunID string          `json:"runId"`
	JobID string          `json:"jobId"`
	Value json.RawMessage `json:"value,omitempty"`
	Error string          `json:"error,omitempty"`
}

func (e errand) cell() gateway.Cell {
	// Every call is a side effect, and some take longer than the time after which they are accepted.
	code := fmt.Sprintf(`const out = []; for (let i = 0; i < %d; i++) {
		try { out.push(await tools.callValue("effect", {i, ms: i === 1 ? 60 : 3})) } catch (e) { out.push(e.message) } } return out`, perCell)
	return gateway.Cell{
		RunID: e.RunID, JobID: e.JobID, Code: code, Catalog: tools("effect"), Scope: protocol.Scope{SessionID: e.RunID},
		Config: json.RawMessage(`{"enabled":true,"timeoutMs":3000}`),
	}
}

// replicaMain is a gateway process: it runs the cells it reads from its input, and answers calls with side effects.
func replicaMain(url string) int {
	file, err := os.OpenFile(os.Getenv(fileEnv), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return 2
	}
	nc, err := nats.Connect(url)
	if err != nil {
		return 2
	}
	c, err := gateway.New(nc, gateway.Options{Tenant: tenant, Guard: once, Lease: time.Second, AcceptAfter: 20 * time.Millisecond, StartTimeout: time.Minute})
	if err != nil {
		return 2
	}
	err = c.Serve(func(ctx context.Context, call *gateway.Call) (any, error) {
		var input struct{ MS int }
		if err := json.Unmarshal(call.Input, &input); err != nil {
			return nil, err
		}
		if _, err := file.WriteString(call.RunID + "/" + call.CallID + "\n"); err != nil {
			return nil, err
		}
		select {
		case <-time.After(time.Duration(input.MS) * time.Millisecond): // the tool's own time
		case <-ctx.Done():
		}
		return "ok", nil
	})
	if err != nil {
		return 2
	}
	out := json.NewEncoder(os.Stdout)
	var mu sync.Mutex
	var running sync.WaitGroup
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var e errand
		if json.Unmarshal(lines.Bytes(), &e) != nil {
			return 2
		}
		running.Go(func() {
			res, err := c.Run(context.Background(), e.cell())
			if err != nil {
				e.Error = err.Error()
			} else {
				e.Value, e.Error = res.Result.Value, res.Result.Error
			}
			mu.Lock()
			defer mu.Unlock()
			_ = out.Encode(e) // a parent that is gone needs none
		})
	}
	running.Wait()
	return 0
}

// replica is a started gateway process.
type replica struct {
	cmd  *exec.Cmd
	in   io.WriteCloser
	ends chan errand // closed when the process has ended
}

func startReplica(t *testing.T, url, file string) *replica {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	r := &replica{cmd: exec.Command(self), ends: make(chan errand, 4096)}
	r.cmd.Env = append(os.Environ(), roleEnv+"="+url, fileEnv+"="+file)
	r.cmd.Stderr = io.Discard
	if testing.Verbose() {
		r.cmd.Stderr = os.Stderr
	}
	out, err := r.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if r.in, err = r.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := r.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	read := make(chan struct{})
	go func() {
		defer close(read)
		defer close(r.ends)
		dec := json.NewDecoder(out)
		for {
			var e errand
			if dec.Decode(&e) != nil {
				return
			}
			r.ends <- e
		}
	}()
	t.Cleanup(func() {
		r.kill()
		<-read
		_ = r.cmd.Wait() // it was killed
	})
	return r
}

func (r *replica) kill() { _ = r.cmd.Process.Kill() } // one that has ended needs none

func (r *replica) give(t *testing.T, e errand) {
	t.Helper()
	data, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.in.Write(append(data, '\n')); err != nil {
		t.Fatal(err)
	}
}

// TestOneOfTwoReplicasIsKilled kills a gateway in the middle of its work: no call is executed twice, and every run ends.
func TestOneOfTwoReplicasIsKilled(t *testing.T) {
	cells := 200
	if n, err := strconv.Atoi(os.Getenv(cellsEnv)); err == nil {
		cells = n
	}
	r := newRig(t).worker()
	file := filepath.Join(t.TempDir(), "effects")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	replicas := []*replica{startReplica(t, r.url, file), startReplica(t, r.url, file)}
	left := make(map[string]errand, cells)
	for i := range cells {
		e := errand{RunID: gateway.NewRunID(), JobID: gateway.NewJobID()}
		left[e.RunID] = e
		replicas[i%2].give(t, e)
	}
	unknown, limit := 0, time.After(4*time.Minute)
	end := func(e errand) {
		delete(left, e.RunID)
		unknown += checkErrand(t, e)
	}
	doomed := replicas[0].ends
	for killed := false; len(left) > 0; {
		select {
		case e, open := <-doomed:
			if open {
				end(e)
				break
			}
			doomed = nil
			for _, e := range left { // the survivor takes up what its neighbour has left, and is given what it has for a second time
				replicas[1].give(t, e)
			}
		case e, open := <-replicas[1].ends:
			if !open {
				t.Fatal("the survivor has ended")
			}
			if _, waiting := left[e.RunID]; waiting && e.Error == "" {
				end(e)
			}
		case <-limit:
			t.Fatalf("%d runs hang", len(left))
		}
		if !killed && len(left) < cells*3/4 {
			killed = true
			replicas[0].kill()
		}
	}
	twice, executed := effects(t, file)
	if len(twice) > 0 {
		t.Errorf("executed twice: %v", twice)
	}
	if most := cells * perCell; executed > most || executed < most-unknown {
		t.Errorf("%d executions of %d calls, %d outcomes unknown", executed, most, unknown)
	}
	t.Logf("%d cells, %d executions, %d outcomes unknown", cells, executed, unknown)
}

// checkErrand checks how a cell ended and counts the calls whose outcome it was told is unknown.
func checkErrand(t *testing.T, e errand) (unknown int) {
	t.Helper()
	var values []string
	if err := json.Unmarshal(e.Value, &values); err != nil || len(values) != perCell {
		t.Fatalf("run %s gave %s %s", e.RunID, e.Value, e.Error)
	}
	for _, v := range values {
		switch v {
		case "ok":
		case gateway.OutcomeUnknown:
			unknown++
		default:
			t.Errorf("run %s: a call gave %q", e.RunID, v)
		}
	}
	return unknown
}

func effects(t *testing.T, file string) (twice []string, executed int) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for line := range strings.Lines(string(data)) {
		if seen[line] {
			twice = append(twice, strings.TrimSpace(line))
		}
		seen[line] = true
	}
	return twice, len(seen)
}
