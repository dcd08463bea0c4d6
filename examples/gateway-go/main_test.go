package main

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"codemode/internal/natstest"
	"codemode/vm"
	"codemode/worker"
)

// TestMain lets the test binary be the program.
func TestMain(m *testing.M) {
	if os.Getenv("GATEWAY_GO") != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// program is the command line with a server and a worker behind it.
func program(t *testing.T, url string) func(args ...string) *exec.Cmd {
	t.Helper()
	return func(args ...string) *exec.Cmd {
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
		t.Cleanup(cancel)
		cmd := exec.CommandContext(ctx, os.Args[0], args...)
		cmd.Env = append(os.Environ(), "GATEWAY_GO=1", "NATS_URL="+url)
		return cmd
	}
}

var engine = sync.OnceValues(func() (*vm.Engine, error) {
	return vm.New(context.Background(), vm.Options{CacheDir: filepath.Join(os.TempDir(), "codemode-test-cache")})
})

func pool(t *testing.T) (url string) {
	t.Helper()
	url = natstest.Server(t)
	e, err := engine()
	if err != nil {
		t.Fatal(err)
	}
	w, err := worker.New(worker.Options{Conn: natstest.Connect(t, url), Engine: e, ID: "w", Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return url
}

func TestCells(t *testing.T) {
	t.Parallel()
	gatewayGo := program(t, pool(t))
	for _, cell := range []string{"parallel", "slow", "error"} {
		t.Run(cell, func(t *testing.T) {
			t.Parallel()
			want, err := os.ReadFile("../cells/" + cell + ".txt")
			if err != nil {
				t.Fatal(err)
			}
			got, err := gatewayGo("run", "../cells/"+cell+".js").Output()
			if err != nil || !bytes.Equal(got, want) {
				t.Errorf("got:\n%s%v, want:\n%s", got, err, want)
			}
		})
	}
}

// TestApprovals has the run's process, and others that list and decide.
func TestApprovals(t *testing.T) {
	t.Parallel()
	gatewayGo := program(t, pool(t))
	cell := filepath.Join(t.TempDir(), "cell.js")
	code := `const out = await Promise.allSettled([tools.refund({amount: 5}), tools.transfer({amount: 7})]); return out.map(o => o.value ?? o.reason.message)`
	if err := os.WriteFile(cell, []byte(code), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := gatewayGo("run", cell)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var lines []string
	for len(lines) < 2 {
		text, err := gatewayGo("approvals").Output()
		if err != nil {
			t.Fatal(err)
		}
		lines = strings.Split(strings.TrimSpace(string(text)), "\n")
	}
	for _, line := range lines {
		callID, _, _ := strings.Cut(line, "\t")
		verb := []string{"approve", callID}
		if strings.Contains(line, "transfer") {
			verb = []string{"deny", callID, "not", "today"}
		}
		if text, err := gatewayGo(verb...).CombinedOutput(); err != nil {
			t.Errorf("%v: %s%v", verb, text, err)
		}
		if text, err := gatewayGo(verb...).CombinedOutput(); err == nil || !strings.Contains(string(text), "does not wait for a decision") {
			t.Errorf("%v again: %s%v", verb, text, err)
		}
	}
	got, err := io.ReadAll(out)
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	if want := `=> [{"refunded":5},"Tool \"openclaw:core:transfer\" was blocked before execution: not today"]`; strings.TrimSpace(string(got)) != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestCatalogHas20Tools(t *testing.T) {
	t.Parallel()
	if n := len(catalog().Tools); n != 20 {
		t.Errorf("%d tools", n)
	}
}
