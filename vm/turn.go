package vm

import (
	"encoding/json"
	"fmt"
	"runtime"

	"codemode/protocol"
)

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
	runtime.Gosched() // as at a fuel tick
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
