package config

import (
	"bytes"
	"errors"
	"flag"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "write the table into docs/configuration.md")

func load(t *testing.T, environ ...string) Config {
	t.Helper()
	cfg, warnings, err := Load(environ)
	if err != nil {
		t.Fatal(err)
	}
	if len(warnings) > 0 {
		t.Errorf("warnings %q", warnings)
	}
	return cfg
}

func TestDefaults(t *testing.T) {
	t.Parallel()
	cfg := load(t)
	if !regexp.MustCompile(`^[A-Za-z0-9._-]+-[a-z2-7]{6}$`).MatchString(string(cfg.WorkerID)) {
		t.Errorf("worker id %q", cfg.WorkerID)
	}
	if dir, err := os.UserCacheDir(); err == nil && cfg.CacheDir != filepath.Join(dir, "codemode") {
		t.Errorf("cache folder %q", cfg.CacheDir)
	}
	if cfg.NATSURL.Connect() != "nats://127.0.0.1:4222" || cfg.Names().Prefix() != "cm" || cfg.Level() != slog.LevelInfo {
		t.Errorf("url %s, prefix %s, level %s", cfg.NATSURL, cfg.Names().Prefix(), cfg.Level())
	}
	cfg.WorkerID, cfg.CacheDir, cfg.NATSURL, cfg.SubjectPrefix = "", "", ServerURLs{}, Prefix{}
	want := Config{
		NATSInbox: "_INBOX.worker", EmbeddedAddr: "127.0.0.1:4222", HTTPAddr: "127.0.0.1:9464", AckWait: 10 * time.Second,
		ExecSlots: 64, WaitSlots: 256, SuspendedPerSession: 64, CatalogCacheBytes: 256 << 20, OutputEvents: true,
		LogLevel: "info", LogFormat: "text", ShutdownGrace: 10 * time.Second, StartTimeout: 15 * time.Second,
	}
	if cfg != want {
		t.Errorf("got  %+v\nwant %+v", cfg, want)
	}
}

func TestEmptyVariablesAreNotSet(t *testing.T) {
	t.Parallel()
	var environ []string
	for _, row := range Table() {
		environ = append(environ, row.Name+"=")
	}
	got, want := load(t, environ...), load(t)
	got.WorkerID = want.WorkerID
	if got != want {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestValuesAreTaken(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	cfg := load(t,
		"CODEMODE_NATS_URL=nats://u:p@a:1, tls://b", "CODEMODE_NATS_CREDS="+file, "CODEMODE_EMBEDDED_STORE=/x",
		"CODEMODE_HTTP_ADDR=off", "CODEMODE_CACHE_DIR=off", "CODEMODE_WORKER_ID=w.1", "CODEMODE_SUBJECT_PREFIX=a.b", "CODEMODE_REPLICAS=3",
		"CODEMODE_ACK_WAIT=1m30s", "CODEMODE_CATALOG_CACHE_BYTES=1099511627776", "CODEMODE_OUTPUT_EVENTS=false", "CODEMODE_LOG_LEVEL=debug",
		"CODEMODE_SHUTDOWN_GRACE=0s")
	if cfg.NATSURL.Connect() != "nats://u:p@a:1,tls://b" || cfg.NATSURL.String() != "nats://u:xxxxx@a:1,tls://b" {
		t.Errorf("URLs %q, shown as %q", cfg.NATSURL.Connect(), cfg.NATSURL)
	}
	if string(cfg.NATSCreds) != file || cfg.Embedded || cfg.EmbeddedStore != "/x" || cfg.HTTPAddr != Off || cfg.CacheDir != "" ||
		cfg.WorkerID != "w.1" || cfg.Names().Prefix() != "a.b" || cfg.Replicas != 3 || cfg.AckWait != 90*time.Second ||
		cfg.CatalogCacheBytes != 1<<40 || cfg.OutputEvents || cfg.Level() != slog.LevelDebug || cfg.ShutdownGrace != 0 {
		t.Errorf("got %+v", cfg)
	}
}

func TestFaultsNameVariableValueAndWhatIsAllowed(t *testing.T) {
	t.Parallel()
	missing := filepath.Join(t.TempDir(), "missing")
	for _, c := range []struct{ set, want string }{
		{"CODEMODE_NATS_URL=http://u:secret@h", `CODEMODE_NATS_URL is "http://xxxxx@h": want nats://host:port, or several with commas between; tls, ws and wss are the other schemes`},
		{"CODEMODE_NATS_URL=u:secret@h,nats://v:hidden@g", `CODEMODE_NATS_URL is "xxxxx@h,nats://xxxxx@g": want nats://host:port, or several with commas between`},
		{"CODEMODE_NATS_URL=nats://h:99999", `CODEMODE_NATS_URL is "nats://h:99999": want nats://host:port, or several with commas between`},
		{"CODEMODE_NATS_CREDS=" + missing, `CODEMODE_NATS_CREDS is "` + missing + `": want a file that can be read: no such file or directory`},
		{"CODEMODE_NATS_INBOX=answers", `CODEMODE_NATS_INBOX is "answers": want _INBOX and up to 4 tokens of A-Za-z0-9_- with dots between`},
		{"CODEMODE_EMBEDDED=perhaps", `CODEMODE_EMBEDDED is "perhaps": want true or false`},
		{"CODEMODE_EMBEDDED_ADDR=off", `CODEMODE_EMBEDDED_ADDR is "off": want host:port`},
		{"CODEMODE_HTTP_ADDR=9464", `CODEMODE_HTTP_ADDR is "9464": want host:port or off`},
		{"CODEMODE_WORKER_ID=a b", `CODEMODE_WORKER_ID is "a b": want 1 to 128 of A-Za-z0-9._-`},
		{"CODEMODE_SUBJECT_PREFIX=a..b", `CODEMODE_SUBJECT_PREFIX is "a..b": want up to 128 bytes of tokens of A-Za-z0-9_- with dots between`},
		{"CODEMODE_REPLICAS=2", `CODEMODE_REPLICAS is "2": want 1 or 3`},
		{"CODEMODE_REPLICAS=0", `CODEMODE_REPLICAS is "0": want 1 or 3`},
		{"CODEMODE_ACK_WAIT=10", `CODEMODE_ACK_WAIT is "10": want a duration such as 10s, 1s to 1h`},
		{"CODEMODE_ACK_WAIT=999ms", `CODEMODE_ACK_WAIT is "999ms": want a duration such as 10s, 1s to 1h`},
		{"CODEMODE_EXEC_SLOTS=many", `CODEMODE_EXEC_SLOTS is "many": want 1 to 16384`},
		{"CODEMODE_EXEC_SLOTS=0", `CODEMODE_EXEC_SLOTS is "0": want 1 to 16384`},
		{"CODEMODE_WAIT_SLOTS=65537", `CODEMODE_WAIT_SLOTS is "65537": want 1 to 65536`},
		{"CODEMODE_CATALOG_CACHE_BYTES=1", `CODEMODE_CATALOG_CACHE_BYTES is "1": want 1048576 to 1099511627776`},
		{"CODEMODE_LOG_LEVEL=loud", `CODEMODE_LOG_LEVEL is "loud": want debug, info, warn or error`},
		{"CODEMODE_SHUTDOWN_GRACE=-1s", `CODEMODE_SHUTDOWN_GRACE is "-1s": want a duration such as 10s, 0s to 1h`},
		{"CODEMODE_DEBUG_SSE=all", `CODEMODE_DEBUG_SSE is "all": want events or peek`},
		{"OPENCLAW_DEBUG_MODEL_PAYLOAD=full", `OPENCLAW_DEBUG_MODEL_PAYLOAD is "full": want summary, tools or full-redacted`},
		{"CODEMODE_NATS_PASSWORD=secret", `CODEMODE_NATS_PASSWORD is set without CODEMODE_NATS_USER`},
	} {
		_, _, err := Load([]string{c.set})
		var faults Faults
		if !errors.As(err, &faults) || !slices.Equal(faults, Faults{c.want}) {
			t.Errorf("%s: got %v\nwant %s", c.set, err, c.want)
		}
	}
}

func TestFaultsAreListedTogetherInTheOrderOfTheTable(t *testing.T) {
	t.Parallel()
	here := "config_test.go"
	_, _, err := Load([]string{
		"CODEMODE_LOG_FORMAT=xml", "CODEMODE_EXEC_SLOTS=x", "CODEMODE_NATS_USER=u", "CODEMODE_NATS_TOKEN=t", "CODEMODE_NATS_CERT=" + here,
	})
	want := strings.Join([]string{
		`CODEMODE_EXEC_SLOTS is "x": want 1 to 16384`,
		`CODEMODE_LOG_FORMAT is "xml": want text or json`,
		`CODEMODE_NATS_USER and CODEMODE_NATS_TOKEN are set: want one of them`,
		`CODEMODE_NATS_CERT is set without CODEMODE_NATS_KEY`,
	}, "\n")
	if err == nil || err.Error() != want {
		t.Errorf("got\n%v\nwant\n%s", err, want)
	}
}

func TestAliases(t *testing.T) {
	t.Parallel()
	cfg := load(t, "OPENCLAW_DEBUG_CODE_MODE=1", "OPENCLAW_DEBUG_MODEL_TRANSPORT=1", "OPENCLAW_DEBUG_MODEL_PAYLOAD=tools",
		"OPENCLAW_DEBUG_SSE=peek", "CODEMODE_DEBUG_SSE=events")
	if !cfg.DebugCodeMode || !cfg.DebugTransport || cfg.DebugPayload != "tools" || cfg.DebugEvents != "events" {
		t.Errorf("got %+v", cfg)
	}
}

func TestWarnings(t *testing.T) {
	t.Parallel()
	_, warnings, err := Load([]string{
		"CODEMODE_EXECSLOTS=3", "CODEMODE_EMBEDDED=true", "CODEMODE_EMBEDDED_STORE=/x", "CODEMODE_NATS_URL=nats://h", "OTHER=1",
	})
	want := []string{
		"CODEMODE_EXECSLOTS is set, but is not a variable of the worker",
		"CODEMODE_NATS_URL is set, but the embedded server is used",
	}
	if err != nil || !slices.Equal(warnings, want) {
		t.Errorf("got %q, %v", warnings, err)
	}
}

func TestStoreIsInTheStateFolder(t *testing.T) {
	t.Parallel()
	if cfg := load(t, "CODEMODE_EMBEDDED=true", "XDG_STATE_HOME=/state"); cfg.EmbeddedStore != filepath.FromSlash("/state/codemode/nats") {
		t.Errorf("store is %s", cfg.EmbeddedStore)
	}
	if cfg := load(t, "XDG_STATE_HOME=/state"); cfg.EmbeddedStore != "" {
		t.Errorf("store is %s without an embedded server", cfg.EmbeddedStore)
	}
}

func TestEveryFieldIsDescribed(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("config.go")
	if err != nil {
		t.Fatal(err)
	}
	for i, f := range fields() {
		row := Table()[i]
		if !strings.HasPrefix(row.Name, "CODEMODE_") || row.Help == "" || row.Default == "" {
			t.Errorf("%s: %+v", f.Name, row)
		}
		doc := regexp.MustCompile(`(?s)\t// ` + f.Name + ` [^\n]*(\n\t// [^\n]*)*\n\t` + f.Name + ` `).Find(source)
		if !bytes.Contains(doc, []byte("Defaults")) {
			t.Errorf("the comment of %s names no default", f.Name)
		}
		low, high, isRange := strings.Cut(f.Tag.Get("allow"), " to ")
		switch {
		case !isRange:
		case f.Type == reflect.TypeFor[time.Duration]():
			if mustDuration(low) >= mustDuration(high) {
				t.Errorf("%s allows %s to %s", f.Name, low, high)
			}
		case mustInt(low) >= mustInt(high):
			t.Errorf("%s allows %s to %s", f.Name, low, high)
		}
	}
}

// TestDocumentation keeps docs/configuration.md equal to the struct.
func TestDocumentation(t *testing.T) {
	t.Parallel()
	const path = "../../../../docs/configuration.md"
	const before, after = "<!-- table: written by \"go generate ./cmd/worker\" -->\n", "<!-- end of table -->\n"
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, ok := strings.Cut(string(page), before)
	table, tail, ok2 := strings.Cut(rest, after)
	if !ok || !ok2 {
		t.Fatal("the page lacks the marks around the table")
	}
	var want strings.Builder
	if err := WriteMarkdown(&want); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(path, []byte(head+before+want.String()+after+tail), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if table != want.String() {
		t.Errorf("docs/configuration.md is not what the struct says; run go generate ./cmd/worker. Want\n%s", want.String())
	}
}
