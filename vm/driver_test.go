package vm

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"codemode/protocol"
)

// driver plays the worker for one cell: it answers every request, one at a time, in an order and with
// answers that follow from the seed alone.
type driver struct {
	cell   Cell
	limits Limits
	seed   uint64

	// everyPause suspends and resumes between every two settlements.
	everyPause bool
	// states keeps the state at every pause, in the trace, whether or not it is resumed.
	states bool
}

// trace is all that can be seen of a run from outside.
type trace struct {
	Turns []tracedTurn
	Err   string
}

type tracedTurn struct {
	Turn  Turn
	Count Counters
	State []byte // with driver.states: the suspended VM after the turn
}

const maxSettlements = 400

// play runs the cell to its end.
func (d driver) play(tb testing.TB, e *Engine) trace {
	tb.Helper()
	v, err := e.Start(dataHost{}, d.limits)
	if err != nil {
		tb.Fatal(err)
	}
	defer func() { v.Close() }()
	clock := time.UnixMilli(1_760_000_000_000).UTC()
	v.SetClock(clock)
	rng := rand.New(rand.NewPCG(d.seed, 1))
	var out trace
	var open []Request
	note := func(turn Turn, err error) bool {
		if err != nil {
			out.Err = err.Error()
		}
		open = append(open, turn.Requests...)
		open = slices.DeleteFunc(open, func(r Request) bool { return slices.Contains(turn.Cleared, r.ID) })
		t := tracedTurn{Turn: turn, Count: v.Counters()}
		if err == nil {
			v, t.State = d.pause(tb, e, v, clock)
		}
		out.Turns = append(out.Turns, t)
		return err == nil
	}
	if !note(v.Run(d.cell, farDeadline())) {
		return out
	}
	for n := 0; len(open) > 0 && n < maxSettlements; n++ {
		i := rng.IntN(len(open))
		r := open[i]
		open = slices.Delete(open, i, i+1)
		clock = clock.Add(time.Duration(1+rng.IntN(50)) * time.Millisecond)
		v.SetClock(clock)
		if !note(v.Settle(answer(r, rng), farDeadline())) {
			return out
		}
	}
	return out
}

func (d driver) pause(tb testing.TB, e *Engine, v *VM, clock time.Time) (*VM, []byte) {
	tb.Helper()
	if !d.everyPause && !d.states {
		return v, nil
	}
	state, err := v.Suspend(1 << 30)
	if err != nil {
		tb.Fatalf("suspend: %v", err)
	}
	if d.everyPause {
		v.Close()
		if v, err = e.Resume(state.Data, state.Counters, dataHost{}, d.limits); err != nil {
			tb.Fatalf("resume: %v", err)
		}
		v.SetClock(clock)
	}
	if !d.states {
		return v, nil
	}
	return v, state.Data
}

// answer settles a request: mostly with data, sometimes with an error.
func answer(r Request, rng *rand.Rand) Settlement {
	s := Settlement{ID: r.ID, Remote: r.Method.Remote(), Timer: r.Method == protocol.MethodSleep}
	switch kind := rng.IntN(10); {
	case s.Timer:
	case kind == 0:
		s.Err = "refused by the driver"
	case kind == 1 && s.Remote:
		s.Err, s.Sent = "failed at the gateway", true
	case kind == 2:
		s.Value = json.RawMessage(`[{"id":"openclaw:core:a","name":"a"},{"id":"openclaw:core:b","name":"b"}]`)
	default:
		s.Value = json.RawMessage(fmt.Sprintf(`{"n":%d,"runId":"r1","status":"done","text":"é %d","items":[1,2,{"a":null}],"asked":%s}`, r.ID, rng.IntN(1000), r.Payload))
	}
	return s
}

// dataHost answers every load with small fixed data.
type dataHost struct{}

func (dataHost) Load(kind, argument string) (json.RawMessage, error) {
	switch kind {
	case "catalog":
		return json.RawMessage(`[{"id":"openclaw:core:a","source":"openclaw","name":"a","description":"A","input":"{}"},{"id":"openclaw:core:b","source":"openclaw","name":"b","description":"B","input":"{}"}]`), nil
	case "tools":
		return json.RawMessage(`["a","b","order_list"]`), nil
	case "tool":
		if strings.HasPrefix(argument, "no") || argument == "then" || argument == "toJSON" {
			return nil, nil
		}
		return json.RawMessage(fmt.Sprintf("%q", "openclaw:core:"+argument)), nil
	case "mcp":
		return json.RawMessage(`{"servers":[{"identifier":"files","serverName":"files","paths":[["read"],["dir","list"]]}]}`), nil
	case "namespaces":
		return json.RawMessage(`[{"globalName":"db","id":"db","scope":{"kind":"object","entries":[["find",{"kind":"function"}],["version",{"kind":"value","value":3}],["list",{"kind":"array","items":[{"kind":"function"}]}]]}}]`), nil
	case "api.list":
		return json.RawMessage(`{"files":[{"path":"mcp/index.d.ts","description":"d","bytes":3}]}`), nil
	default:
		return nil, errors.New("nothing for " + kind)
	}
}

func farDeadline() time.Time  { return time.Now().Add(2 * time.Minute) }
func soonDeadline() time.Time { return time.Now().Add(50 * time.Millisecond) }

// newEachTime gives the engine with a pool that keeps nothing, so that every VM is a new one.
func newEachTime(e *Engine) *Engine {
	out := *e
	out.pool = newPool(&out, 0)
	return &out
}

// runCell runs one turn of a cell in a new run.
func runCell(tb testing.TB, code string) (Turn, error) {
	tb.Helper()
	v, err := testEngine(tb).Start(dataHost{}, testLimits())
	if err != nil {
		tb.Fatal(err)
	}
	defer v.Close()
	return v.Run(Cell{Code: code}, farDeadline())
}

// returned is the value of a cell that needs no answers.
func returned(tb testing.TB, code string) string {
	tb.Helper()
	turn, err := runCell(tb, code)
	if err != nil {
		tb.Fatalf("%s\nended with %v", code, err)
	}
	if turn.Thrown != nil {
		tb.Fatalf("%s\nthrew %s", code, turn.Thrown.Text)
	}
	return string(turn.Returned)
}
