package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// startPool starts a server with a worker that completes every cell with 1.
func startPool(t *testing.T) (url string) {
	t.Helper()
	srv, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: server.RANDOM_PORT, JetStream: true, StoreDir: t.TempDir(), NoSigs: true, NoLog: true})
	if err != nil {
		t.Fatal(err)
	}
	srv.Start()
	t.Cleanup(func() {
		srv.Shutdown()
		srv.WaitForShutdown()
	})
	if !srv.ReadyForConnections(10 * time.Second) {
		t.Fatal("server is not ready")
	}
	conn, err := nats.Connect(srv.ClientURL())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	js, err := jetstream.New(conn)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := js.CreateStream(t.Context(), jetstream.StreamConfig{Name: "CM_JOBS", Subjects: []string{"x.job.*.*"}, Storage: jetstream.MemoryStorage}); err != nil {
		t.Fatal(err)
	}
	_, err = conn.Subscribe("x.job.exec.me", func(m *nats.Msg) {
		var job struct{ RunID, JobID string }
		if err := json.Unmarshal(m.Data, &job); err != nil {
			panic(err)
		}
		_ = conn.Publish("x.run.me."+job.RunID+".reply."+job.JobID, []byte(`{"v":1,"tenant":"me","runId":"`+job.RunID+`","jobId":"`+job.JobID+`",
			"worker":"w","attempt":1,"timing":{"queuedMs":0,"vmMs":0,"toolMs":0,"totalMs":0},
			"result":{"status":"completed","value":1,"output":[],"replaySafe":true,"telemetry":{"catalogSize":0,"sources":{"openclaw":0,"mcp":0,"client":0},
			"searchCount":0,"describeCount":0,"callCount":0,"visibleTools":["exec","wait"],"calledTools":[],"legs":1}}}`))
	})
	if err == nil {
		err = conn.Flush()
	}
	if err != nil {
		t.Fatal(err)
	}
	return srv.ClientURL()
}

func TestCommand(t *testing.T) {
	t.Parallel()
	url := startPool(t)
	dir := t.TempDir()
	cases := filepath.Join(dir, "cases.json")
	broken := filepath.Join(dir, "broken.txt")
	for path, text := range map[string]string{
		cases: `[{"name":"g/one","steps":[{"exec":{"code":"1"},"expect":{"value":1}}]},
			{"name":"g/two","steps":[{"exec":{"code":"1"},"expect":{"errorMatches":"\n"}}]}]`,
		broken: `[{"name":"g/one","steps":[{"exec":{},"x":1},{"exec":{},"y":1}]}]`,
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	pool := []string{"--url", url, "--tenant", "me", "--prefix", "x"}
	for _, c := range []struct {
		name           string
		args           []string
		code           int
		stdout, stderr string
	}{
		{"fails", append(pool, cases), 1, `^FAIL g/two: step 1: error: /\\n/ does not match ""\n1 passed, 1 failed\n$`, `^$`},
		{"passes", append(pool, "--only", "one$", dir), 0, `^1 passed, 0 failed\n$`, `^$`},
		{"none chosen", append(pool, "--only", "none", cases), 1, `^0 passed, 0 failed\n$`, `^$`},
		{"JSON", append(pool, "--json", "--only", "one", cases), 0, `^\[\n \{\n  "name": "g/one",\n  "pass": true,\n  "ms": \d+,\n  "problems": \[\]\n \}\n\]\n$`, `^1 passed, 0 failed\n$`},
		{"help", []string{"-h"}, 0, `(?s)^Plays a gateway .*usage: conformance .*-concurrency.*-only regex`, `^$`},
		{"unknown flag", []string{"--speed"}, 2, `^$`, `^conformance: flag provided but not defined: -speed \(-h shows the usage\)\n$`},
		{"bad pattern", []string{"--only", "("}, 2, `^$`, `^conformance: invalid value "\(" for flag -only`},
		{"bad concurrency", []string{"--concurrency", "0"}, 2, `^$`, `^conformance: --concurrency must be at least 1`},
		{"bad tenant", []string{"--url", url, "--tenant", "a.b", cases}, 2, `^$`, `^conformance: conformance options: tenant "a\.b"`},
		{"no file", append(pool, filepath.Join(dir, "none")), 2, `^$`, `^conformance: load cases: [^\n]*\n$`},
		{"broken case", append(pool, broken), 2, `^$`, `^conformance: [^\n]*unknown key x\\n[^\n]*unknown key y\n$`},
		{"no server", []string{"--url", "nats://127.0.0.1:1", cases}, 2, `^$`, `^conformance: cannot reach nats://127\.0\.0\.1:1: [^\n]*\n$`},
	} {
		var stdout, stderr bytes.Buffer
		code := run(t.Context(), c.args, &stdout, &stderr)
		if code != c.code || !regexp.MustCompile(c.stdout).MatchString(stdout.String()) || !regexp.MustCompile(c.stderr).MatchString(stderr.String()) {
			t.Errorf("%s: exit %d, stdout %q, stderr %q", c.name, code, stdout.String(), stderr.String())
		}
	}
}

func TestCommandPlaysTheBuiltInCases(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var stdout, stderr bytes.Buffer
	code := run(ctx, []string{"--url", startPool(t)}, &stdout, &stderr)
	if code != 2 || !strings.Contains(stderr.String(), "context canceled") {
		t.Errorf("exit %d, stderr %q", code, stderr.String())
	}
}
