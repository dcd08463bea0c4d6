// Package examples_test runs the example gateways, each in its own language, on the same cells against a
// worker, with the users and rights of deploy/nats.conf.
package examples_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"go.uber.org/goleak"

	"codemode/internal/natstest"
	"codemode/internal/workertest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// programs are the command lines, with the cell's path to be added.
var programs = map[string][]string{
	"gateway-python": {"python3", "gateway-python/gateway.py"},
	"gateway-node":   {"node", "gateway-node/gateway.mjs"},
}

var cells = []string{"parallel", "slow", "error"}

const tenant = "acme" // the one that deploy/nats.conf has a user for

var nodePackages = sync.OnceValue(func() error {
	if _, err := os.Stat("gateway-node/node_modules/@nats-io/transport-node/package.json"); err == nil {
		return nil
	}
	install := exec.Command("npm", "ci")
	install.Dir = "gateway-node"
	if out, err := install.CombinedOutput(); err != nil {
		return fmt.Errorf("install packages of gateway-node: %w: %s", err, out)
	}
	return nil
})

func TestGatewaysPrintWhatCellsGive(t *testing.T) {
	t.Parallel()
	addr := pool(t)
	for name := range programs {
		for _, cell := range cells {
			t.Run(name+"/"+cell, func(t *testing.T) {
				t.Parallel()
				p := run(t, name, addr, cell)
				if parked := strings.Contains(p.stderr.String(), "waiting for callValue-1-"); parked != (cell == "slow") {
					t.Errorf("parked: %v; standard error: %s", parked, p.stderr.String())
				}
			})
		}
	}
}

// TestGatewaysOutliveTheirConnection cuts the connection when the run has been parked: the tool's result, the
// wait job and its reply come after that.
func TestGatewaysOutliveTheirConnection(t *testing.T) {
	t.Parallel()
	addr := pool(t)
	for name := range programs {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wire := newRelay(t, addr)
			run(t, name, wire.addr(), "slow", func(stderr string) {
				if strings.Contains(stderr, "waiting for") {
					wire.cut()
				}
			})
			if n := wire.accepted(); n < 2 {
				t.Errorf("%d connections, want another one after the first was cut", n)
			}
		})
	}
}

// pool starts a server with the users of deploy/nats.conf, and a worker, and gives the server's address.
func pool(t *testing.T) (addr string) {
	t.Helper()
	text, err := os.ReadFile("../deploy/nats.conf")
	if err != nil {
		t.Fatal(err)
	}
	conf := filepath.Join(t.TempDir(), "nats.conf")
	changed := strings.NewReplacer("\n#: ", "\n", "$CM_WORKER_PASSWORD", `"w"`, "$CM_ACME_PASSWORD", `"a"`).Replace(string(text))
	if err := os.WriteFile(conf, []byte(changed), 0o600); err != nil {
		t.Fatal(err)
	}
	opts, err := server.ProcessConfigFile(conf)
	if err != nil {
		t.Fatal(err)
	}
	if len(opts.Users) != 2 {
		t.Fatalf("deploy/nats.conf has %d users, want worker and acme", len(opts.Users))
	}
	opts.Port, opts.HTTPPort, opts.StoreDir, opts.NoSigs, opts.NoLog = server.RANDOM_PORT, 0, t.TempDir(), true, true
	srv, err := server.NewServer(opts)
	if err != nil {
		t.Fatal(err)
	}
	srv.Start()
	t.Cleanup(func() { srv.Shutdown(); srv.WaitForShutdown() })
	if !srv.ReadyForConnections(20 * time.Second) {
		t.Fatal("the server is not ready")
	}
	startWorker(t, srv.ClientURL())
	return srv.Addr().String()
}

func startWorker(t *testing.T, url string) {
	t.Helper()
	workertest.Start(t, natstest.Connect(t, url, nats.UserInfo("worker", "w"), nats.CustomInboxPrefix("_INBOX.worker")), nil)
}

// process is a run of a program that has ended.
type process struct {
	stdout bytes.Buffer
	stderr watched
}

// watched shows all that was written so far to whoever watches.
type watched struct {
	text  bytes.Buffer
	watch []func(string)
}

func (w *watched) String() string { return w.text.String() }

func (w *watched) Write(data []byte) (int, error) {
	n, err := w.text.Write(data)
	for _, see := range w.watch {
		see(w.String())
	}
	return n, err
}

// run lets a program run a cell, and compares what it prints with the cell's .txt file.
func run(t *testing.T, name, addr, cell string, watch ...func(stderr string)) *process {
	t.Helper()
	if name == "gateway-node" {
		if err := nodePackages(); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile("cells/" + cell + ".txt")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	line := append(programs[name][1:], "cells/"+cell+".js")
	cmd := exec.CommandContext(ctx, programs[name][0], line...)
	cmd.Env = append(os.Environ(), "NATS_URL=nats://acme:a@"+addr, "CODEMODE_TENANT="+tenant)
	p := &process{stderr: watched{watch: watch}}
	cmd.Stdout, cmd.Stderr = &p.stdout, &p.stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v: %s", err, p.stderr.String())
	}
	if p.stdout.String() != string(want) {
		t.Errorf("got:\n%swant:\n%s", p.stdout.String(), want)
	}
	return p
}
