// Package vm runs model-written JavaScript: one isolated QuickJS per run, on WebAssembly, entered turn by
// turn and frozen between turns to a few kilobytes.
//
// It promises that guest code can do nothing but compute and ask: it has no files, network, clock or
// entropy, cannot outlive its deadline, cannot use more than its memory, cannot see another run, and
// does the same again when it is given the same answers. The package knows no NATS and no catalogue; see
// DESIGN.md for how it is built and why.
package vm

import (
	"encoding/json"
	"errors"
	"sync/atomic"
	"time"

	"codemode/protocol"
)

// MaxTimers is how many timers of a run may be live (contract 2.4).
const MaxTimers = 128

// Host answers what a guest asks for inside a turn: data that is made on first use. kind is one of
// "catalog", "tool", "tools", "mcp", "namespaces", "api.list", "api.read", "api.mcp". The answer is JSON
// text, nil where there is nothing; an error rejects in the guest with its text.
type Host interface {
	Load(kind, argument string) (json.RawMessage, error)
}

// Limits of a run.
type Limits struct {
	MemoryBytes  int // guest heap beyond what a fresh VM uses
	OutputBytes  int // contract 14.3
	PendingCalls int // remote requests at a time, contract 10.3
	InputBytes   int // JSON text of the input of one call
}

// Cell is what a run begins with.
type Cell struct {
	Code       string // body of one async function
	TypeScript bool   // names the file cell.ts in frames
	Seed       [3]uint32
	Globals    []string // namespace globals that are visible
	Swarm      bool
}

// Request is one bridge request of a turn (contract 10.1).
type Request struct {
	ID      int             // names the promise in the guest; settle with it
	Method  protocol.Method // MethodSleep for a timer
	Payload json.RawMessage // list of arguments; the delay in ms for a timer; an object for a namespace call
}

// Thrown is an uncaught error of the cell.
type Thrown struct {
	Text   string // contract 5.13
	Syntax bool   // the cell did not compile, nothing of it ran
	Sent   bool   // it is the rejection of a call that had been sent
	Fatal  error  // a *protocol.Error that the run ends with in place of the text, or nil
}

// Turn is the outcome of one entry into the VM.
type Turn struct {
	Requests []Request
	Cleared  []int             // ids of timers of earlier turns that were cleared
	Output   []json.RawMessage // items, in order
	Returned json.RawMessage   // the value, in the turn in which the cell returned
	Thrown   *Thrown           // in the turn in which the cell threw
	// Overflowed says, beside protocol.ErrOutput, that the items broke the output budget and not the value alone.
	Overflowed bool
}

// Settlement is the answer to a request.
type Settlement struct {
	ID     int
	Remote bool            // the request was a remote one that counts as pending
	Timer  bool            // fire the timer; the rest is not looked at
	Value  json.RawMessage // resolves with it; nil resolves with undefined
	Err    string          // rejects, if not empty
	Sent   bool            // the rejected call had been sent (Thrown.Sent)
}

// Counters are what a VM counts for its run; they travel with a suspended run.
type Counters struct {
	NextID      int `json:"nextId"`
	OutputBytes int `json:"outputBytes"`
	Pending     int `json:"pending"` // remote requests
	Timers      int `json:"timers"`
}

// ErrClosed is returned for a VM that was closed or that a fatal error destroyed.
var ErrClosed = errors.New("vm is closed")

// VM is the guest of one run. It is used by one goroutine at a time; only Interrupt may be called from others.
type VM struct {
	engine *Engine
	in     *instance
	host   Host
	limits Limits
	counts Counters

	clock    time.Time
	deadline time.Time
	stop     atomic.Pointer[protocol.Error] // set by Interrupt

	turn  Turn
	local map[int]int // bytes the host holds for local requests that are not answered, by id
	final bool        // the returned value is being converted
	fatal error       // ends the run; the instance is thrown away
	dead  bool
}

// Start makes a VM for a new run. The cell is evaluated by the first call of Run.
func (e *Engine) Start(host Host, limits Limits) (*VM, error) {
	in, err := e.pool.get()
	if err != nil {
		return nil, err
	}
	v := e.bind(in, host, limits, Counters{NextID: 1, OutputBytes: 2})
	if _, err := in.call(fnSetMemoryLimit, uint64(in.ids.runtime), uint64(uint32(e.heapUsed+limits.MemoryBytes))); err != nil {
		return nil, v.fatalError(err)
	}
	return v, nil
}

func (e *Engine) bind(in *instance, host Host, limits Limits, counts Counters) *VM {
	v := &VM{engine: e, in: in, host: host, limits: limits, counts: counts, clock: imageTime}
	in.vm = v
	in.mem.setHeapLimit(limits.MemoryBytes)
	return v
}

// SetClock moves the run clock; it stands still while guest code runs (contract 5.11).
func (v *VM) SetClock(t time.Time) { v.clock = t }

// Interrupt makes running guest code end with err at its next loop; code that is not running ends when
// it is entered. It may be called from any goroutine.
func (v *VM) Interrupt(err *protocol.Error) { v.stop.CompareAndSwap(nil, err) }

func (v *VM) interrupted() error {
	if err := v.stop.Load(); err != nil {
		return err
	}
	if !v.deadline.IsZero() && !time.Now().Before(v.deadline) {
		return protocol.ErrTimeout
	}
	return nil
}

// fail ends guest code at once. It does not return.
func (v *VM) fail(err error) {
	if v.fatal == nil {
		v.fatal = err
	}
	panic(v.fatal)
}

// failure says what an error of the engine means for the run.
func (v *VM) failure(err error) error {
	var known *protocol.Error
	switch {
	case errors.Is(err, errNoMemory):
		return protocol.ErrMemory
	case errors.As(err, &known):
		return known
	}
	return &protocol.Error{Detail: protocol.DetailRuntimeUnavailable, Message: err.Error(), Cause: err}
}

// fatalError destroys the VM and gives the reason its run ends with.
func (v *VM) fatalError(err error) error {
	if v.fatal == nil {
		v.fatal = v.failure(err)
	}
	v.destroy()
	return v.fatal
}

// Run evaluates the cell: the first turn of a run. A returned error is a *protocol.Error that ends the
// run and has destroyed the VM; the turn then holds what was put out before it.
func (v *VM) Run(cell Cell, deadline time.Time) (Turn, error) {
	if err := v.enter(deadline); err != nil {
		return Turn{}, err
	}
	if err := v.evaluate(cell); err != nil {
		return v.leave(err)
	}
	return v.leave(v.drain())
}

// Settle delivers one answer and runs the guest until it is idle again.
func (v *VM) Settle(s Settlement, deadline time.Time) (Turn, error) {
	if err := v.enter(deadline); err != nil {
		return Turn{}, err
	}
	if err := v.settle(s); err != nil {
		return v.leave(err)
	}
	return v.leave(v.drain())
}

func (v *VM) enter(deadline time.Time) error {
	if v.dead {
		return ErrClosed
	}
	v.turn = Turn{}
	v.deadline = deadline
	v.in.fuel.Set(fuelRefill)
	v.in.oom.Set(0) // a mark of one turn: it does not travel with a suspended run
	if err := v.interrupted(); err != nil {
		return v.fatalError(err)
	}
	return nil
}

func (v *VM) leave(err error) (Turn, error) {
	if err != nil {
		err = v.fatalError(err)
	} else if v.fatal != nil {
		v.destroy()
		err = v.fatal
	}
	return v.turn, err
}

// Counters gives the counts that travel with a suspended run.
func (v *VM) Counters() Counters { return v.counts }

// Close ends the VM. Its instance is made clean and used again if nothing but its memory can have changed.
func (v *VM) Close() {
	if v.dead {
		return
	}
	v.dead = true
	v.in.vm = nil
	v.engine.pool.put(v.in)
}

func (v *VM) destroy() {
	if v.dead {
		return
	}
	v.dead = true
	v.in.vm = nil
	v.engine.pool.discard(v.in)
}

// Seed makes the seed of a run's random numbers from a digest of its identity.
func Seed(digest [32]byte) [3]uint32 {
	var s [3]uint32
	for i := range s {
		for k := range 4 {
			s[i] = s[i]<<8 | uint32(digest[i*4+k])
		}
	}
	return s
}
