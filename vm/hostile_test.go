package vm

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"codemode/protocol"
)

// TestHostile runs every program of testdata/hostile and holds it to the outcome it states. Whatever
// happened, the pool then runs a clean cell, and what the program had used is given back.
func TestHostile(t *testing.T) {
	t.Parallel()
	programs := hostilePrograms(t)
	if len(programs) < 120 {
		t.Errorf("only %d programs", len(programs))
	}
	e := testEngine(t)
	for _, p := range programs {
		t.Run(p.file+"/"+p.name, func(t *testing.T) {
			t.Parallel()
			own := withOwnPool(e)
			p.run(t, own)
			for _, in := range own.pool.idle {
				checkClean(t, own, in)
			}
			cleanCell(t, own)
			if err := own.pool.close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// withOwnPool gives the engine with a pool of one idle VM, so that what runs next runs where a program ran.
func withOwnPool(e *Engine) *Engine {
	own := *e
	own.pool = newPool(&own, 1)
	return &own
}

// run runs the program and compares.
func (p *program) run(t *testing.T, e *Engine) {
	v, err := e.Start(hostileHost{}, p.limits)
	if err != nil {
		t.Fatal(err)
	}
	mem := v.in.mem
	begin := time.Now()
	got := p.drive(v, begin.Add(p.timeout))
	if over := time.Since(begin) - p.timeout; over > watchdog {
		t.Errorf("ended %v after its deadline; the worker's watchdog allows %v", over, watchdog)
	}
	if used, most := mem.size, uint64(p.limits.MemoryBytes+16<<20); used > most {
		t.Errorf("guest memory is %d bytes, which is over the limit plus 16 MB, %d", used, most)
	}
	p.compare(t, got)
	if failed := got.failure != nil; failed != v.dead {
		t.Errorf("VM is destroyed: %v, want %v", v.dead, failed)
	}
	v.Close()
	if _, err := v.Run(Cell{}, time.Now()); !errors.Is(err, ErrClosed) {
		t.Errorf("closed VM gave %v, want ErrClosed", err)
	}
	if got.failure != nil && mem.whole != nil {
		t.Error("memory of a destroyed VM is still mapped")
	}
}

// watchdog is how long after the deadline a worker waits for guest code to end (contract 10.6).
const watchdog = 2 * time.Second

// outcome of a program over all its turns.
type outcome struct {
	failure  error
	value    json.RawMessage
	thrown   *Thrown
	emitted  []json.RawMessage
	requests []string
}

// drive runs the cell and delivers the answers that the program asks for.
func (p *program) drive(v *VM, deadline time.Time) outcome {
	var out outcome
	turn, err := v.Run(Cell{Code: p.code, Seed: [3]uint32{1, 2, 3}, Globals: []string{"plug"}}, deadline)
	for next := 0; ; next++ {
		out.emitted = append(out.emitted, turn.Output...)
		for _, q := range turn.Requests {
			out.requests = append(out.requests, string(q.Method))
		}
		if turn.Returned != nil {
			out.value = turn.Returned
		}
		if turn.Thrown != nil {
			out.thrown = turn.Thrown
		}
		if err == nil && turn.Thrown != nil {
			err = turn.Thrown.Fatal
			if err != nil {
				v.destroy() // as a worker does with a failed run
			}
		}
		if err != nil || next == len(p.settle) {
			out.failure = err
			return out
		}
		turn, err = v.Settle(p.settle[next], deadline)
	}
}

func (p *program) compare(t *testing.T, got outcome) {
	var kind, text string
	switch {
	case got.failure != nil:
		var e *protocol.Error
		if !errors.As(got.failure, &e) {
			t.Fatalf("failed with %v, which is no protocol.Error", got.failure)
		}
		kind, text = "fails", string(e.Detail)
		if fixed := fixedErrors[e.Detail]; fixed != nil && got.failure != error(fixed) {
			t.Errorf("failed with %v, want %v", got.failure, fixed)
		}
	case got.thrown != nil:
		kind, text = "throws", got.thrown.Text
		if head, _, cut := strings.Cut(text, "\n"); cut {
			text = head
		}
	case got.value != nil:
		kind, text = "value", string(got.value)
	default:
		kind = "idle"
	}
	if have := strings.TrimSpace(kind + " " + text); have != p.want {
		t.Errorf("got  %.300s\nwant %.300s", have, p.want)
		if got.failure != nil {
			t.Logf("%.300v", got.failure)
		}
	}
	if p.emits != "" {
		all := []byte{'['}
		for i, item := range got.emitted {
			if i > 0 {
				all = append(all, ',')
			}
			all = append(all, item...)
		}
		if have := string(append(all, ']')); have != p.emits {
			t.Errorf("emitted %.300s, want %.300s", have, p.emits)
		}
	}
	if have := strings.Join(got.requests, " "); p.requests != nil && have != *p.requests {
		t.Errorf("requested %.300q, want %.300q", have, *p.requests)
	}
}

// fixedErrors are failures that are one value (contract 14.4).
var fixedErrors = map[protocol.Detail]*protocol.Error{
	protocol.DetailMemoryLimit:    protocol.ErrMemory,
	protocol.DetailTimeout:        protocol.ErrTimeout,
	protocol.DetailOutputLimit:    protocol.ErrOutput,
	protocol.DetailTooManyPending: protocol.ErrTooManyPending,
	protocol.DetailModuleAccess:   protocol.ErrModuleAccess,
}

// cleanCell runs a cell that looks at what cells change and demands the outcome it has in a VM that never ran
// another, and that the instance is kept and left like new.
func cleanCell(t *testing.T, e *Engine) {
	t.Helper()
	want, err := cleanReference()
	if err != nil {
		t.Fatal(err)
	}
	got, in, err := runClean(e)
	if err != nil {
		t.Fatal(err)
	}
	if got != want {
		t.Errorf("clean cell gave %.200s, want %.200s", got, want)
	}
	if in.mem.whole == nil {
		t.Fatal("instance of the clean cell was not kept")
	}
	checkClean(t, e, in)
}

// checkClean demands that a kept instance is like a new one.
func checkClean(t *testing.T, e *Engine, in *instance) {
	t.Helper()
	if !bytes.Equal(in.mem.bytes(), e.base.image) || in.sp.Get() != e.sp || in.oom.Get() != 0 || in.fuel.Get() != 0 {
		t.Error("kept instance differs from a new one")
	}
}

var cleanReference = sync.OnceValues(func() (string, error) {
	e, err := sharedEngine()
	if err != nil {
		return "", err
	}
	own := withOwnPool(e)
	got, _, err := runClean(own)
	return got, errors.Join(err, own.pool.close())
})

func runClean(e *Engine) (string, *instance, error) {
	limits := testLimits()
	limits.OutputBytes = 1 << 20
	v, err := e.Start(hostileHost{}, limits)
	if err != nil {
		return "", nil, err
	}
	defer v.Close()
	turn, err := v.Run(Cell{Code: cleanCode, Seed: [3]uint32{1, 2, 3}}, time.Now().Add(time.Minute))
	if err != nil {
		return "", nil, err
	}
	if turn.Thrown != nil {
		return "", nil, errors.New(turn.Thrown.Text)
	}
	if want := `{"type":"text","text":"clean [1,2]"}`; len(turn.Output) != 1 || string(turn.Output[0]) != want {
		return "", nil, fmt.Errorf("emitted %s, want %s", turn.Output, want)
	}
	return string(turn.Returned), v.in, nil
}

const cleanCode = `console.log('clean', [1, 2]);
const names = (o) => Reflect.ownKeys(o).map(String).join();
const found = [globalThis, Object, Object.prototype, Array.prototype, Function.prototype, Promise, Promise.prototype, String.prototype, RegExp,
	Map.prototype, Error, JSON, Math, Reflect, Object.getPrototypeOf(function* () {}), Object.getPrototypeOf(async () => 0), [].keys().__proto__].map(names);
const random = Math.random();
const sum = await Promise.all([1, 2, 3].map(async (n) => n * 2)).then((all) => all.reduce((a, b) => a + b));
return [found, random, sum, ({}).secret, JSON.stringify({ a: [1, { b: 2 }] }), new Date().getTime()];`

// hostileHost has one tool, one plugin namespace and one MCP server.
type hostileHost struct{}

func (hostileHost) Load(kind, argument string) (json.RawMessage, error) {
	switch kind {
	case "catalog":
		return json.RawMessage(`[{"id":"openclaw:core:echo","source":"openclaw","sourceName":"core","name":"echo","description":"","input":"unknown"}]`), nil
	case "tool":
		if argument == "echo" {
			return json.RawMessage(`"openclaw:core:echo"`), nil
		}
		return nil, nil
	case "tools":
		return json.RawMessage(`["echo"]`), nil
	case "mcp":
		return json.RawMessage(`{"servers":[{"identifier":"srv","serverName":"srv","paths":[["a","b"]]}]}`), nil
	case "namespaces":
		return json.RawMessage(`[{"id":"plug","globalName":"plug","scope":{"kind":"object","entries":[["go",{"kind":"function"}],["data",{"kind":"value","value":{"deep":[1]}}]]}}]`), nil
	case "api.list":
		return json.RawMessage(`{"files":[]}`), nil
	}
	return nil, errors.New("Unknown API file: " + argument)
}

// program is one hostile cell with the outcome it must have.
type program struct {
	file, name string
	code       string
	limits     Limits
	timeout    time.Duration
	settle     []Settlement
	want       string  // "value <JSON>", "throws <first line>", "fails <detail>" or "idle"
	emits      string  // JSON array of all output items, if it is looked at
	requests   *string // methods in order, if they are looked at
}

func hostilePrograms(tb testing.TB) []*program {
	tb.Helper()
	files, err := filepath.Glob("testdata/hostile/*.js")
	if err != nil {
		tb.Fatal(err)
	}
	var out []*program
	for _, path := range files {
		data, err := os.ReadFile(path)
		if err != nil {
			tb.Fatal(err)
		}
		parts := strings.Split("\n"+string(data), "\n//// ")
		for _, part := range parts[1:] {
			name, rest, _ := strings.Cut(part, "\n")
			p := &program{file: strings.TrimSuffix(filepath.Base(path), ".js"), name: name, limits: testLimits()}
			_, err := p.settings(parts[0][1:])
			if err = errors.Join(err, p.parse(rest)); err != nil {
				tb.Fatalf("%s: %s: %v", path, name, err)
			}
			out = append(out, p)
		}
	}
	return out
}
