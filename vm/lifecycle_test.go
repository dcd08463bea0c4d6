package vm

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"codemode/protocol"
)

func TestClosed(t *testing.T) {
	t.Parallel()
	v, err := testEngine(t).Start(noHost{}, testLimits())
	if err != nil {
		t.Fatal(err)
	}
	v.Close()
	v.Close()
	if _, err := v.Run(Cell{Code: "return 1"}, farDeadline()); !errors.Is(err, ErrClosed) {
		t.Errorf("Run gave %v, want ErrClosed", err)
	}
	if _, err := v.Settle(Settlement{ID: 1}, farDeadline()); !errors.Is(err, ErrClosed) {
		t.Errorf("Settle gave %v, want ErrClosed", err)
	}
	if _, err := v.Suspend(1 << 20); !errors.Is(err, ErrClosed) {
		t.Errorf("Suspend gave %v, want ErrClosed", err)
	}
}

func TestFatalErrorDestroys(t *testing.T) {
	t.Parallel()
	limits := testLimits()
	limits.OutputBytes = 100
	v := startVM(t, limits)
	turn, err := v.Run(Cell{Code: "text('kept'); text('x'.repeat(200)); text('never')"}, farDeadline())
	if !errors.Is(err, protocol.ErrOutput) || !turn.Overflowed {
		t.Fatalf("got %v, overflowed %v; want ErrOutput by the items", err, turn.Overflowed)
	}
	if len(turn.Output) != 1 || string(turn.Output[0]) != `{"type":"text","text":"kept"}` {
		t.Errorf("output %s, want what came before", turn.Output)
	}
	if _, err := v.Run(Cell{Code: "return 1"}, farDeadline()); !errors.Is(err, ErrClosed) {
		t.Errorf("a destroyed VM gave %v, want ErrClosed", err)
	}
}

func TestDeadlines(t *testing.T) {
	t.Parallel()
	e := testEngine(t)
	for name, code := range map[string]string{"loop": "for (;;) {}", "native": "Array(4294967295).join()", "microtasks": "const f = () => Promise.resolve().then(f); f()"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v, err := e.Start(noHost{}, testLimits())
			if err != nil {
				t.Fatal(err)
			}
			if _, err := v.Run(Cell{Code: code}, time.Now().Add(20*time.Millisecond)); !errors.Is(err, protocol.ErrTimeout) {
				t.Errorf("got %v, want ErrTimeout", err)
			}
		})
	}
	v := startVM(t, testLimits())
	if _, err := v.Run(Cell{Code: "return 1"}, time.Now().Add(-time.Second)); !errors.Is(err, protocol.ErrTimeout) {
		t.Errorf("entered after the deadline: got %v, want ErrTimeout", err)
	}
}

func TestInterrupt(t *testing.T) {
	t.Parallel()
	running, idle := startVM(t, testLimits()), startVM(t, testLimits())
	entered := make(chan struct{})
	running.host = loadFunc(func(string, string) (json.RawMessage, error) { close(entered); return nil, errors.New("gone") })
	go func() {
		<-entered
		running.Interrupt(protocol.ErrAborted)
		running.Interrupt(protocol.ErrTimeout) // the first one counts
	}()
	if _, err := running.Run(Cell{Code: "API.list().catch(() => 0); for (;;) {}"}, farDeadline()); !errors.Is(err, protocol.ErrAborted) {
		t.Errorf("running: got %v, want ErrAborted", err)
	}
	idle.Interrupt(protocol.ErrAborted)
	if _, err := idle.Run(Cell{Code: "return 1"}, farDeadline()); !errors.Is(err, protocol.ErrAborted) {
		t.Errorf("idle: got %v, want ErrAborted", err)
	}
}

func TestResumeGoesOn(t *testing.T) {
	t.Parallel()
	e := testEngine(t)
	v, state := parkedVM(t, e)
	defer v.Close()
	for name, from := range map[string]func() *VM{
		"suspended VM goes on": func() *VM { return v },
		"resumed": func() *VM {
			r, err := e.Resume(state.Data, state.Counters, noHost{}, testLimits())
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(r.Close)
			return r
		},
	} {
		r := from()
		if got, want := r.Counters(), (Counters{NextID: 2, OutputBytes: 2, Pending: 1}); got != want {
			t.Errorf("%s: counters %+v, want %+v", name, got, want)
		}
		if turn := mustSettle(t, r, Settlement{ID: 1, Remote: true, Value: json.RawMessage(`{"n":41}`)}); string(turn.Returned) != "42" {
			t.Errorf("%s: returned %s, want 42", name, turn.Returned)
		}
	}
}

func TestSuspendLimit(t *testing.T) {
	t.Parallel()
	v, state := parkedVM(t, testEngine(t))
	defer v.Close()
	if state.Bytes%pageSize != 0 || state.Bytes < pageSize || state.Bytes > 60*pageSize {
		t.Errorf("state of %d bytes, want a few pages", state.Bytes)
	}
	if _, err := v.Suspend(state.Bytes); err != nil {
		t.Errorf("a state of exactly the limit gave %v", err)
	}
	if _, err := v.Suspend(state.Bytes - 1); !errors.Is(err, protocol.ErrSnapshot) {
		t.Errorf("a state above the limit gave %v, want ErrSnapshot", err)
	}
	if _, err := v.Suspend(1024); !errors.Is(err, protocol.ErrSnapshot) {
		t.Errorf("the lowest setting gave %v, want ErrSnapshot (contract 11.2)", err)
	}
}

func TestGlobalsBeforeAnyCell(t *testing.T) {
	t.Parallel()
	e := testEngine(t)
	for _, name := range strings.Fields("tools API ALL_TOOLS MCP namespaces text json yield_control console setTimeout clearTimeout queueMicrotask structuredClone TextEncoder TextDecoder atob btoa URL URLSearchParams Array Promise") {
		if !e.HasGlobal(name) {
			t.Errorf("%s is missing", name)
		}
	}
	for _, name := range strings.Fields("fetch process require module WebAssembly SharedArrayBuffer Atomics setInterval agents phase log") {
		if e.HasGlobal(name) {
			t.Errorf("%s is there", name)
		}
	}
}

func TestTwoEnginesHaveOneIdentity(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	dir := t.TempDir() + "/cache"
	first := testEngine(t)
	other, err := New(ctx, Options{CacheDir: dir, Idle: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := other.Close(ctx); err != nil {
			t.Error(err)
		}
	}()
	if first.Identity() != other.Identity() || len(first.Identity()) != 64 {
		t.Errorf("identities %s and %s", first.Identity(), other.Identity())
	}
	v, state := parkedVM(t, first)
	v.Close()
	r, err := other.Resume(state.Data, state.Counters, noHost{}, testLimits())
	if err != nil {
		t.Fatal(err)
	}
	if turn := mustSettle(t, r, Settlement{ID: 1, Remote: true, Value: json.RawMessage(`{"n":1}`)}); string(turn.Returned) != "2" {
		t.Errorf("returned %s, want 2", turn.Returned)
	}
	r.Close()
}
