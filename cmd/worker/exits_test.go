package main_test

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"codemode/internal/natstest"
)

func TestHelpListsEveryVariable(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile(filepath.Join("internal", "config", "config.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, flag := range []string{"-h", "--help"} {
		p := start(t, nil, flag)
		p.fails(0)
		names := regexp.MustCompile(`(?:env|alias):"([A-Z_]+)"`).FindAllSubmatch(source, -1)
		if len(names) < 30 {
			t.Fatalf("%d names in the source", len(names))
		}
		for _, name := range names {
			if !strings.Contains(p.stdout.String(), string(name[1])) {
				t.Errorf("%s does not show %s", flag, name[1])
			}
		}
		if !strings.Contains(p.stdout.String(), "usage: worker") {
			t.Errorf("%s shows no usage", flag)
		}
	}
}

func TestVersion(t *testing.T) {
	t.Parallel()
	p := start(t, nil, "-version")
	p.fails(0)
	if !regexp.MustCompile(`^codemode worker \d+\.\d+\.\d+\S*\n$`).MatchString(p.stdout.String()) {
		t.Errorf("got %q", p.stdout.String())
	}
}

func TestWrongConfigurationEndsWithTwo(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		env, args []string
		want      []string
	}{
		"unknown flag":     {nil, []string{"-x"}, []string{"worker: flag provided but not defined: -x; -h shows the usage"}},
		"unknown argument": {nil, []string{"-embedded", "now"}, []string{`worker: unknown argument "now"; -h shows the usage`}},
		"several": {[]string{"CODEMODE_EXEC_SLOTS=x", "CODEMODE_ACK_WAIT=3"}, nil, []string{
			`worker: CODEMODE_ACK_WAIT is "3": want a duration such as 10s, 1s to 1h`,
			`worker: CODEMODE_EXEC_SLOTS is "x": want 1 to 16384`,
		}},
		"broken credentials": {[]string{"CODEMODE_NATS_CREDS=main.go"}, nil, []string{
			`worker: CODEMODE_NATS_CREDS is "main.go": want a file with a JWT and a user's seed: nkeys: no nkey seed found`,
		}},
		"broken certificates": {[]string{"CODEMODE_NATS_CA=main.go", "CODEMODE_NATS_CERT=main.go", "CODEMODE_NATS_KEY=main.go"}, nil, []string{
			`worker: CODEMODE_NATS_CA is "main.go": want a PEM file of certificates: failed to parse root certificate from "main.go"`,
			`worker: CODEMODE_NATS_CERT is "main.go": want a PEM file of a certificate whose key is in CODEMODE_NATS_KEY: error loading client certificate: tls: failed to find any PEM data in certificate input`,
		}},
		"telemetry": {[]string{"OTEL_TRACES_EXPORTER=pigeon"}, nil, []string{
			`worker: set up telemetry: OTEL_TRACES_EXPORTER is "pigeon": unknown exporter or metrics producer`,
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			start(t, c.env, c.args...).fails(2, c.want...)
		})
	}
}

// busy gives an address at which somebody listens.
func busy(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l.Addr().String()
}

// free gives an address at which nobody listens.
func free(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

func TestBusyPorts(t *testing.T) {
	t.Parallel()
	addr := busy(t)
	start(t, []string{"CODEMODE_EMBEDDED_ADDR=" + addr}, "-embedded").fails(1,
		"worker: the embedded NATS server cannot listen on "+addr+" (CODEMODE_EMBEDDED_ADDR): address already in use")
	start(t, []string{"CODEMODE_EMBEDDED_ADDR=127.0.0.1:0", "CODEMODE_HTTP_ADDR=" + addr}, "-embedded").fails(1,
		"worker: metrics and health cannot be served on "+addr+" (CODEMODE_HTTP_ADDR): address already in use")
}

func TestStoreFolder(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(binary, "store") // the binary is no folder
	start(t, []string{"CODEMODE_EMBEDDED_ADDR=127.0.0.1:0", "CODEMODE_EMBEDDED_STORE=" + folder}, "-embedded").fails(1,
		"worker: the embedded NATS server cannot write to "+folder+" (CODEMODE_EMBEDDED_STORE): not a directory")

	used := t.TempDir()
	env := []string{"CODEMODE_EMBEDDED_ADDR=127.0.0.1:0", "CODEMODE_EMBEDDED_STORE=" + used}
	first := start(t, env, "-embedded")
	first.ready("url")
	start(t, env, "-embedded").fails(1,
		"worker: the store folder "+used+" (CODEMODE_EMBEDDED_STORE) is used by another embedded NATS server")
	first.signal(syscall.SIGKILL)
	first.exit()
	start(t, env, "-embedded").ready("url") // a killed worker leaves the folder free
}

func TestUnreachableServer(t *testing.T) {
	t.Parallel()
	addr := free(t)
	p := start(t, []string{"CODEMODE_NATS_URL=nats://u:secret@" + addr, "CODEMODE_START_TIMEOUT=1s"})
	p.line("the NATS server does not answer, trying again", "url=nats://u:xxxxx@"+addr, `error="connection refused"`)
	if code := p.exit(); code != 1 {
		t.Errorf("exit code %d", code)
	}
	line := p.line("worker: ")
	want := `^worker: no NATS server answers at nats://u:xxxxx@` + regexp.QuoteMeta(addr) +
		` \(CODEMODE_NATS_URL\), tried for 1(\.\d)?s \(CODEMODE_START_TIMEOUT\): connection refused$`
	if !regexp.MustCompile(want).MatchString(line) {
		t.Errorf("got %s", line)
	}
	if strings.Contains(strings.Join(p.log(), "\n"), "secret") {
		t.Error("the log shows the password")
	}
}

func TestServerThatComesLate(t *testing.T) {
	t.Parallel()
	addr := free(t)
	p := start(t, []string{"CODEMODE_NATS_URL=nats://" + addr, "CODEMODE_START_TIMEOUT=1m"})
	p.line("the NATS server does not answer")
	port := 0
	if _, err := fmt.Sscanf(addr, "127.0.0.1:%d", &port); err != nil {
		t.Fatal(err)
	}
	natsServer(t, &server.Options{Port: port, JetStream: true})
	if url := p.ready("url"); url != "nats://"+addr {
		t.Errorf("ready at %s", url)
	}
}

func TestStoppedWhileItWaitsForTheServer(t *testing.T) {
	t.Parallel()
	p := start(t, []string{"CODEMODE_NATS_URL=nats://" + free(t), "CODEMODE_START_TIMEOUT=1h"})
	p.line("the NATS server does not answer")
	p.signal(syscall.SIGTERM)
	p.fails(0)
	p.line("msg=stopped")
}

// natsServer starts a server with options of the test's own.
func natsServer(t *testing.T, opts *server.Options) *server.Server {
	t.Helper()
	opts.Host, opts.NoLog, opts.NoSigs, opts.StoreDir = "127.0.0.1", true, true, t.TempDir()
	if opts.Port == 0 {
		opts.Port = server.RANDOM_PORT
	}
	s, err := server.NewServer(opts)
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
	if !s.ReadyForConnections(patience) {
		t.Fatal("server is not ready")
	}
	return s
}

func TestServerThatRefuses(t *testing.T) {
	t.Parallel()
	url := natsServer(t, &server.Options{Username: "u", Password: "p", JetStream: true}).ClientURL()
	start(t, []string{"CODEMODE_NATS_URL=" + url, "CODEMODE_NATS_USER=u", "CODEMODE_NATS_PASSWORD=wrong"}).fails(1,
		"worker: the NATS server at "+url+" refuses the worker (Authorization Violation); see CODEMODE_NATS_USER, _CREDS, _NKEY and _TOKEN")
	p := start(t, []string{"CODEMODE_NATS_URL=" + url, "CODEMODE_NATS_USER=u", "CODEMODE_NATS_PASSWORD=p"})
	p.ready("url")
}

func TestServerWithoutJetStream(t *testing.T) {
	t.Parallel()
	url := natsServer(t, &server.Options{}).ClientURL()
	start(t, []string{"CODEMODE_NATS_URL=" + url}).fails(1,
		"worker: the NATS server at "+url+" has no JetStream for this account; a server is started with it by -js")
}

func TestMissingPermissions(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		deny server.Permissions
		want string
	}{
		"publish": {server.Permissions{Publish: &server.SubjectPermission{Deny: []string{"$JS.API.STREAM.CREATE.*"}}},
			`Permissions Violation for Publish to "$JS.API.STREAM.CREATE.CM_JOBS"`},
		"subscribe": {server.Permissions{Subscribe: &server.SubjectPermission{Deny: []string{"cm.abort.>"}}},
			`Permissions Violation for Subscription to "cm.abort.*.*.*"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url := natsServer(t, &server.Options{JetStream: true, Users: []*server.User{{Username: "u", Password: "p", Permissions: &c.deny}}}).ClientURL()
			p := start(t, []string{"CODEMODE_NATS_URL=" + url, "CODEMODE_NATS_USER=u", "CODEMODE_NATS_PASSWORD=p"})
			if code := p.exit(); code != 1 {
				t.Errorf("exit code %d", code)
			}
			p.line("worker: the NATS user lacks a permission: ", c.want)
		})
	}
}

func TestConnectionThatIsClosedForGood(t *testing.T) {
	t.Parallel()
	first := natsServer(t, &server.Options{Username: "u", Password: "p", JetStream: true})
	p := start(t, []string{"CODEMODE_NATS_URL=" + first.ClientURL(), "CODEMODE_NATS_USER=u", "CODEMODE_NATS_PASSWORD=p"})
	p.ready("url")
	port := first.Addr().(*net.TCPAddr).Port
	first.Shutdown()
	first.WaitForShutdown()
	p.line("disconnected from NATS")
	natsServer(t, &server.Options{Port: port, Username: "u", Password: "other", JetStream: true})
	p.fails(1, "worker: the connection to NATS is closed for good: nats: Authorization Violation")
}

func TestCacheFolderThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	p := start(t, []string{"CODEMODE_NATS_URL=" + natstest.Server(t), "CODEMODE_CACHE_DIR=" + filepath.Join(binary, "cache")})
	p.line("level=WARN", "CODEMODE_CACHE_DIR", `error="not a directory"`)
	p.ready("url")
}

func TestUnknownVariableIsTold(t *testing.T) {
	t.Parallel()
	p := start(t, []string{"CODEMODE_EXECSLOTS=1", "CODEMODE_NATS_URL=nats://" + free(t), "CODEMODE_LOG_FORMAT=json"})
	p.line(`"level":"WARN","msg":"CODEMODE_EXECSLOTS is set, but is not a variable of the worker"`)
}

// until asks again until ok, on a signal of its own: the answers themselves.
func until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !ok(); {
		if time.Now().After(end) {
			t.Fatalf("it never happened that %s", what)
		}
	}
}
