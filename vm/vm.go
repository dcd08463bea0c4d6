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
	"fmt"
	"slices"
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

const (
	wrapperHead = "(async function(){\n\n"
	wrapperTail = "\n})"
)

// evaluate compiles the cell and starts it.
func (v *VM) evaluate(cell Cell) error {
	in := v.in
	code := wrapperHead + cell.Code + wrapperTail
	src, err := in.put(code)
	if err != nil {
		return err
	}
	in.setFileName(cell.TypeScript)
	raw, err := in.call(fnEval, uint64(in.ids.context), uint64(src), uint64(len(code)), uint64(in.ids.options))
	if err != nil {
		return err
	}
	if err := in.free(src); err != nil {
		return err
	}
	fn := value(raw)
	if fn.tag() == tagException {
		return v.thrown(true)
	}
	if ok, err := in.call(fnIsFunction, uint64(in.ids.context), uint64(fn)); err != nil {
		return err
	} else if ok == 0 {
		return v.noBody(fn)
	}
	if started, err := v.begin(cell); err != nil || !started {
		return err
	}
	promise, err := in.invoke(fn)
	if err != nil {
		return err
	}
	if err := in.freeValue(fn); err != nil {
		return err
	}
	if promise.tag() == tagException {
		return v.thrown(false)
	}
	if state, err := in.call(fnPromiseState, uint64(in.ids.context), uint64(promise)); err != nil {
		return err
	} else if int32(state) < 0 {
		return v.noBody(promise)
	}
	in.setSlot(slotCell, promise)
	return nil
}

// noBody is the outcome of text that is none of an async function's body but closes the wrapper. Package
// source refuses such text before it comes here; it could do nothing else than other guest code.
func (v *VM) noBody(got value) error {
	v.turn.Thrown = &Thrown{Text: "SyntaxError: the cell is not the body of a function", Syntax: true}
	return v.in.freeValue(got)
}

// begin tells the guest the run's limits, seed and globals. It is false if that threw, which is the cell's outcome.
func (v *VM) begin(cell Cell) (bool, error) {
	in := v.in
	setup, err := v.setup(cell)
	if err != nil {
		return false, err
	}
	out, err := in.invoke(in.ids.start, intValue(v.limits.OutputBytes), intValue(v.limits.InputBytes),
		value(cell.Seed[0]), value(cell.Seed[1]), value(cell.Seed[2]), setup)
	if err != nil {
		return false, err
	}
	if err := in.freeValue(setup); err != nil {
		return false, err
	}
	if out.tag() == tagException {
		return false, v.thrown(false)
	}
	return true, nil
}

func (v *VM) setup(cell Cell) (value, error) {
	if len(cell.Globals) == 0 && !cell.Swarm {
		return undefined, nil
	}
	globals := cell.Globals
	if globals == nil {
		globals = []string{}
	}
	text, err := protocol.Marshal(map[string]any{"globals": globals, "swarm": cell.Swarm})
	if err != nil {
		return 0, fmt.Errorf("encode set-up: %w", err)
	}
	return v.in.newString(string(text))
}

const (
	settleResolve = iota
	settleReject
	settleRejectSent
	settleFire
)

func (v *VM) settle(s Settlement) error {
	how, text := settleResolve, string(s.Value)
	switch {
	case s.Timer:
		how, text = settleFire, ""
		v.counts.Timers--
	case s.Err != "" && s.Sent:
		how, text = settleRejectSent, s.Err
	case s.Err != "":
		how, text = settleReject, s.Err
	}
	if s.Remote {
		v.counts.Pending--
	} else if n, ok := v.local[s.ID]; ok {
		v.in.mem.release(n)
		delete(v.local, s.ID)
	}
	arg, err := v.in.newString(text)
	if err != nil {
		return err
	}
	out, err := v.in.invoke(v.in.ids.settle, intValue(s.ID), intValue(how), arg)
	if err != nil {
		return err
	}
	if err := v.in.freeValue(arg); err != nil {
		return err
	}
	if out.tag() == tagException {
		// A timer's callback threw (contract 5.13: it does not fail the run), or there was no memory for the answer.
		return v.dropException()
	}
	return v.in.freeValue(out)
}

// drain runs microtasks until there are none and takes the cell's outcome if it has one now.
func (v *VM) drain() error {
	in := v.in
	for {
		n, err := in.call(fnRunJob, uint64(in.ids.runtime), uint64(in.ids.scratch+6*8))
		if err != nil {
			return err
		}
		if int32(n) == 0 {
			break
		}
		if int32(n) < 0 {
			if err := v.dropException(); err != nil {
				return err
			}
		}
		if err := v.tick(); err != nil {
			return err
		}
	}
	return v.outcome()
}

// tick ends a storm of microtasks, each of which is too short to use up its fuel.
func (v *VM) tick() error {
	if left := v.in.fuel.Get(); left > jobFuel {
		v.in.fuel.Set(left - jobFuel)
		return nil
	}
	v.in.fuel.Set(fuelRefill)
	return v.interrupted()
}

// jobFuel is what one microtask costs besides its loops.
const jobFuel = 50

// outcome takes the value or error of the cell's promise, once.
func (v *VM) outcome() error {
	in := v.in
	cell := in.slot(slotCell)
	if cell == undefined {
		return nil
	}
	state, err := in.call(fnPromiseState, uint64(in.ids.context), uint64(cell))
	if err != nil || int32(state) == 0 {
		return err
	}
	raw, err := in.call(fnPromiseResult, uint64(in.ids.context), uint64(cell))
	if err != nil {
		return err
	}
	in.setSlot(slotCell, undefined)
	if err := in.freeValue(cell); err != nil {
		return err
	}
	if int32(state) == 2 {
		return v.describe(value(raw), false)
	}
	v.final = true
	out, err := in.invoke(in.ids.render, value(raw))
	v.final = false
	if err != nil {
		return err
	}
	if err := in.freeValue(value(raw)); err != nil {
		return err
	}
	if out.tag() == tagException {
		return v.thrown(false)
	}
	text, err := in.text(out)
	if err != nil {
		return err
	}
	v.turn.Returned = json.RawMessage(text)
	if v.counts.OutputBytes+len(text) > v.limits.OutputBytes {
		v.fatal = protocol.ErrOutput
	}
	return in.freeValue(out)
}

func (v *VM) emit(kind, text string) {
	item := make([]byte, 0, len(text)+32)
	if kind == "t" {
		item = append(append(item, `{"type":"text","text":`...), text...)
	} else {
		item = append(append(item, `{"type":"json","value":`...), text...)
	}
	item = append(item, '}')
	if v.counts.OutputBytes > 2 {
		v.counts.OutputBytes++ // the comma
	}
	v.counts.OutputBytes += len(item)
	v.turn.Output = append(v.turn.Output, item)
	if v.counts.OutputBytes > v.limits.OutputBytes {
		v.overflow(true)
	}
}

// overflow ends the run because of its output; items: because of the items.
func (v *VM) overflow(items bool) {
	v.turn.Overflowed = items
	v.fail(protocol.ErrOutput)
}

// What request answers in place of an id.
const (
	requestOneTooMany = -1
	requestTooLarge   = -2
)

// maxEnvelope is what a payload may be longer than the input it carries: ids, paths, brackets.
const maxEnvelope = 4096

// request notes a bridge request and gives its id. Where one more may not be pending the helper throws,
// and the run ends with the turn even if guest code catches it; too large a one is rejected (contract 2.4).
func (v *VM) request(method protocol.Method, payload json.RawMessage) int {
	if !method.Valid() || method == protocol.MethodSleep {
		v.fail(&protocol.Error{Detail: protocol.DetailInternal, Message: "unsupported code mode bridge method"})
	}
	if len(payload) > v.limits.InputBytes+maxEnvelope {
		return requestTooLarge
	}
	if !method.Remote() {
		v.hold(v.counts.NextID, len(payload)+requestBytes)
		return v.note(method, payload)
	}
	if v.counts.Pending >= v.limits.PendingCalls {
		v.fatal = protocol.ErrTooManyPending
		return requestOneTooMany
	}
	v.counts.Pending++
	return v.note(method, payload)
}

// requestBytes is about what a request takes besides its payload, here and in a worker.
const requestBytes = 512

// hold counts what the host keeps for a local request as memory of the guest, until it is answered: how
// many may be pending is not limited (contract 10.3 bounds remote ones), and the payloads are not on the
// guest's heap.
func (v *VM) hold(id, n int) {
	if !v.in.mem.hold(n) {
		v.fail(protocol.ErrMemory)
	}
	if v.local == nil {
		v.local = map[int]int{}
	}
	v.local[id] = n
}

func (v *VM) timer(delay json.RawMessage) int {
	if v.counts.Timers >= MaxTimers {
		return requestOneTooMany
	}
	v.counts.Timers++
	return v.note(protocol.MethodSleep, delay)
}

func (v *VM) note(method protocol.Method, payload json.RawMessage) int {
	id := v.counts.NextID
	v.counts.NextID++
	v.turn.Requests = append(v.turn.Requests, Request{ID: id, Method: method, Payload: payload})
	return id
}

// clearTimer takes back a timer. One of this turn was never told of, so that a turn which sets and clears
// timers without end stays small.
func (v *VM) clearTimer(id int) {
	v.counts.Timers--
	at, found := slices.BinarySearchFunc(v.turn.Requests, id, func(r Request, id int) int { return r.ID - id })
	if found {
		v.turn.Requests = slices.Delete(v.turn.Requests, at, at+1)
		return
	}
	v.turn.Cleared = append(v.turn.Cleared, id)
}

// load answers with '+' and JSON text, or '!' and the text of a refusal.
func (v *VM) load(kind, argument string) string {
	data, err := v.host.Load(kind, argument)
	if err != nil {
		return "!" + err.Error()
	}
	return "+" + string(data)
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
