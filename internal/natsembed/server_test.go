package natsembed_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"go.uber.org/goleak"

	"codemode/internal/natsembed"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m)
}

func TestServerKeepsStreamsOverARestart(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "made", "here")
	store(t, dir, func(ctx context.Context, js jetstream.JetStream) {
		if _, err := js.CreateStream(ctx, jetstream.StreamConfig{Name: "KEPT", Subjects: []string{"kept"}}); err != nil {
			t.Fatal(err)
		}
		if _, err := js.Publish(ctx, "kept", []byte("x")); err != nil {
			t.Fatal(err)
		}
	})
	store(t, dir, func(ctx context.Context, js jetstream.JetStream) {
		s, err := js.Stream(ctx, "KEPT")
		if err != nil {
			t.Fatal(err)
		}
		if got := s.CachedInfo().State.Msgs; got != 1 {
			t.Errorf("stream has %d messages after the restart, want 1", got)
		}
	})
}

// store runs f with a connection over TCP to a server on dir and shuts the server down.
func store(t *testing.T, dir string, f func(context.Context, jetstream.JetStream)) {
	t.Helper()
	srv, err := natsembed.Start(natsembed.Options{StoreDir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer srv.Shutdown()
	nc, err := nats.Connect(srv.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	f(ctx, js)
}

func TestPayloadLimitAndInProcess(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		set  int
		want int64
	}{{0, 16 << 20}, {2 << 20, 2 << 20}} {
		srv, err := natsembed.Start(natsembed.Options{StoreDir: t.TempDir(), MaxPayload: c.set})
		if err != nil {
			t.Fatal(err)
		}
		nc, err := nats.Connect("", srv.InProcess())
		if err != nil {
			t.Fatal(err)
		}
		if got := nc.MaxPayload(); got != c.want {
			t.Errorf("MaxPayload %d gives %d, want %d", c.set, got, c.want)
		}
		nc.Close()
		srv.Shutdown()
		srv.Shutdown()
	}
}

func TestAddr(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	fixed := l.Addr().String()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	for addr, want := range map[string]string{
		"":            "nats://127.0.0.1:",
		"127.0.0.1:0": "nats://127.0.0.1:",
		"0.0.0.0:0":   "nats://127.0.0.1:",
		fixed:         "nats://" + fixed,
	} {
		srv, err := natsembed.Start(natsembed.Options{Addr: addr, StoreDir: t.TempDir()})
		if err != nil {
			t.Errorf("%q: %v", addr, err)
			continue
		}
		if !strings.HasPrefix(srv.URL(), want) {
			t.Errorf("%q: url %s, want %s…", addr, srv.URL(), want)
		}
		nc, err := nats.Connect(srv.URL())
		if err != nil {
			t.Errorf("%q: connect: %v", addr, err)
		} else {
			nc.Close()
		}
		srv.Shutdown()
	}
}

func TestStartErrorsNameTheirCause(t *testing.T) {
	t.Parallel()
	busy, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer busy.Close()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		opts natsembed.Options
		want string
	}{
		"busy port":         {natsembed.Options{Addr: busy.Addr().String(), StoreDir: t.TempDir()}, busy.Addr().String()},
		"no port":           {natsembed.Options{Addr: "127.0.0.1", StoreDir: t.TempDir()}, "127.0.0.1"},
		"no folder":         {natsembed.Options{}, "no store folder is set"},
		"folder is a file":  {natsembed.Options{StoreDir: file}, file},
		"folder in a file":  {natsembed.Options{StoreDir: filepath.Join(file, "x")}, file},
		"payload too large": {natsembed.Options{StoreDir: t.TempDir(), MaxPayload: 1 << 32}, "max_payload is 4294967296"},
	} {
		srv, err := natsembed.Start(c.opts)
		if err == nil {
			srv.Shutdown()
		}
		if !errors.Is(err, natsembed.ErrStart) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want ErrStart naming %q", name, err, c.want)
		}
	}
}

func TestServerLogsThroughTheLogger(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	srv, err := natsembed.Start(natsembed.Options{
		StoreDir: t.TempDir(),
		Logger:   slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{Level: slog.LevelDebug})),
	})
	if err != nil {
		t.Fatal(err)
	}
	srv.Shutdown()
	if log := out.String(); !strings.Contains(log, "component=nats-server") || !strings.Contains(log, "Server is ready") {
		t.Errorf("the log lacks the server's lines: %s", log)
	}
}
