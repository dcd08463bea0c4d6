package worker

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"codemode/catalog"
	"codemode/kvsnapshots"
	"codemode/protocol"
	"codemode/source"
	"codemode/vm"
)

// run is a run while a leg works on it. Only the leg's goroutine touches it.
type run struct {
	*leg
	rec      *kvsnapshots.Record
	rev      uint64 // of the stored record, 0 if there is none
	view     *catalog.View
	lines    *source.LineMap
	inline   []byte // an inline catalogue that is not stored yet
	deadline time.Time

	vm      *vm.VM // nil until the first turn, or until there is something to deliver
	output  []json.RawMessage
	results *results        // nil until a result can come
	atStart map[string]bool // restart-safe: call ids that were pending when the leg began
	known   map[string]bool // stored results that an earlier attempt left, by call id
}

// end is how a leg of a run ends.
type end int

const (
	endFinish end = iota + 1 // nothing is pending, the cell has an outcome
	endPark
)

// drive runs turns until the leg ends. turn and err are the outcome of the turn before.
func (r *run) drive(turn vm.Turn, err error) (end, error) {
	for {
		if err := r.absorb(turn, err); err != nil {
			return 0, err
		}
		s, how, e := r.next()
		if e != nil || how != 0 {
			return how, e
		}
		turn, err = r.settle(s)
	}
}

// absorb takes over what a turn did: output, requests, the cell's outcome (contract 10.2, steps 1 to 3).
func (r *run) absorb(turn vm.Turn, failure error) error {
	r.output = append(r.output, turn.Output...)
	for _, item := range turn.Output {
		r.eventOutput(item)
	}
	if failure != nil {
		if turn.Overflowed {
			r.output = nil // contract 14.3
		}
		return failure
	}
	if turn.Thrown != nil && turn.Thrown.Fatal != nil {
		return turn.Thrown.Fatal
	}
	r.takeOutcome(turn)
	r.rec.Pending = slices.DeleteFunc(r.rec.Pending, func(p kvsnapshots.Pending) bool {
		return p.Method == protocol.MethodSleep && slices.Contains(turn.Cleared, p.ID)
	})
	if err := r.checkRestartSafe(turn.Requests); err != nil {
		return err
	}
	first := len(r.rec.Pending)
	for _, q := range turn.Requests {
		if q.Method == protocol.MethodSleep && slices.Contains(turn.Cleared, q.ID) {
			continue
		}
		if err := r.note(q); err != nil {
			return err
		}
	}
	return r.dispatch(first)
}

func (r *run) takeOutcome(turn vm.Turn) {
	switch {
	case turn.Thrown != nil:
		out := &kvsnapshots.Outcome{Error: r.positions(turn.Thrown.Text), Detail: protocol.DetailGuestError}
		if turn.Thrown.Sent {
			out.Detail = protocol.DetailNestedToolFailed
		}
		r.rec.Outcome = out
	case turn.Returned != nil:
		r.rec.Outcome = &kvsnapshots.Outcome{Value: turn.Returned}
	}
}

// note gives a request its number and call id and adds it to what is pending.
func (r *run) note(q vm.Request) error {
	if r.rec.Methods == nil {
		r.rec.Methods = map[protocol.Method]int{}
	}
	r.rec.Methods[q.Method]++
	p := kvsnapshots.Pending{ID: q.ID, N: r.rec.Methods[q.Method], Method: q.Method}
	if err := r.resolve(&p, q); err != nil {
		return err
	}
	id, err := protocol.CallID(p.Method, p.N, p.ToolID, p.Input)
	if err != nil {
		return &protocol.Error{Detail: protocol.DetailInternal, Message: "invalid code mode bridge id", Cause: err}
	}
	p.CallID = id
	if err := r.checkDiverged(p); err != nil {
		return err
	}
	r.rec.Pending = append(r.rec.Pending, p)
	return nil
}

// next finds what the guest is given next, or how the leg ends (contract 10.2 steps 4 and 5, 11.3 step 4).
func (r *run) next() (settlement, end, error) {
	for i, p := range r.rec.Pending { // before all else that was parked with them
		if p.Method == protocol.MethodYield && r.atStart[p.CallID] {
			return r.yielded(i), 0, nil
		}
	}
	calls, timers := 0, 0
	for i, p := range r.rec.Pending {
		switch {
		case p.Method == protocol.MethodYield:
		case local(p):
			if !r.rec.RestartSafe || r.atStart[p.CallID] {
				return r.answerLocally(i), 0, nil
			}
		case r.rec.RestartSafe && !r.atStart[p.CallID]:
		case p.Method == protocol.MethodSleep:
			timers++
		default:
			calls++
		}
	}
	others := len(r.rec.Pending) - r.timers()
	switch {
	case others == 0 && r.rec.Outcome != nil:
		return settlement{}, endFinish, nil // timers that are left are dropped, contract 5.9
	case r.pendingYield():
		return settlement{}, endPark, nil
	case calls+timers > 0:
		return r.await()
	case len(r.rec.Pending) > 0: // restart-safe, and all that is pending was asked for in this leg
		return settlement{}, endPark, nil
	default:
		return settlement{}, 0, protocol.ErrPending
	}
}

func (r *run) timers() int {
	n := 0
	for _, p := range r.rec.Pending {
		if p.Method == protocol.MethodSleep {
			n++
		}
	}
	return n
}

func (r *run) pendingYield() bool {
	return slices.ContainsFunc(r.rec.Pending, func(p kvsnapshots.Pending) bool { return p.Method == protocol.MethodYield })
}

// local reports whether a request is answered in the worker without waiting: a search, a describe, or
// one that a check has refused.
func local(p kvsnapshots.Pending) bool {
	return p.Rejected != "" || p.Method == protocol.MethodSearch || p.Method == protocol.MethodDescribe
}

// settlement is an answer on its way to the guest.
type settlement struct {
	pending kvsnapshots.Pending
	answer  vm.Settlement
	seq     uint64    // of the stored result
	clock   time.Time // where the run clock moves to; zero: it stands
}

// yielded resumes a yield; the clock moves to the wait job's time (contract 5.11).
func (r *run) yielded(i int) settlement {
	p := r.rec.Pending[i]
	var args []json.RawMessage
	reason := json.RawMessage("null")
	if json.Unmarshal(p.Input, &args) == nil && len(args) > 0 {
		reason = args[0]
	}
	value := append(append([]byte(`{"status":"yielded","reason":`), reason...), '}')
	return settlement{pending: p, answer: vm.Settlement{ID: p.ID, Value: value}, clock: r.stored}
}

// settle moves the clock and runs the turn that an answer begins.
func (r *run) settle(s settlement) (vm.Turn, error) {
	if err := r.restore(); err != nil {
		return vm.Turn{}, err
	}
	if s.clock.After(r.rec.Clock) {
		r.rec.Clock = s.clock
	}
	r.rec.Pending = slices.DeleteFunc(r.rec.Pending, func(p kvsnapshots.Pending) bool { return p.CallID == s.pending.CallID })
	if !local(s.pending) {
		r.rec.Settled = append(r.rec.Settled, kvsnapshots.Settled{CallID: s.pending.CallID, Seq: s.seq, At: r.rec.Clock})
		r.eventSettled(s)
	}
	r.vm.SetClock(r.rec.Clock)
	return r.turn(func() (vm.Turn, error) { return r.vm.Settle(s.answer, r.deadline) })
}

// turn enters the VM. An abort or the end of the worker that comes meanwhile stops the guest.
func (r *run) turn(enter func() (vm.Turn, error)) (vm.Turn, error) {
	if cause := context.Cause(r.ctx); cause != nil {
		return vm.Turn{}, cause
	}
	interrupt := r.vm.Interrupt
	r.stop.Store(&interrupt)
	if context.Cause(r.ctx) != nil {
		r.vm.Interrupt(protocol.ErrAborted)
	}
	_, span := tracer().Start(r.ctx, "turn")
	began := time.Now()
	turn, err := enter()
	r.vmTime += time.Since(began)
	span.End()
	r.stop.Store(nil)
	switch {
	case errors.Is(context.Cause(r.ctx), errCutOff):
		err = errCutOff // the job is done again elsewhere, whatever came of this turn
	case errors.Is(err, protocol.ErrTimeout) && time.Since(r.deadline) > watchdog:
		err = protocol.ErrWatchdog
	}
	return turn, err
}

// watchdog is how long after its leg's deadline a guest may take to stop without its being told (contract 10.6).
const watchdog = 2 * time.Second

// limits of the VM, from the run's configuration and the connection.
func (r *run) limits() vm.Limits {
	return vm.Limits{
		MemoryBytes: r.rec.Config.MemoryLimitBytes, OutputBytes: r.rec.Config.MaxOutputBytes,
		PendingCalls: r.rec.Config.MaxPendingToolCalls, InputBytes: r.w.maxCallBytes(),
	}
}

// maxCallBytes is the largest input or result of a nested call (contract 2.4).
func (w *Worker) maxCallBytes() int { return int(w.nc.MaxPayload()) - protocol.CallReserveBytes }

// close frees what the run holds in this process.
func (r *run) close() {
	if r.results != nil {
		r.results.close()
	}
	if r.vm != nil {
		r.vm.Close()
	}
}
