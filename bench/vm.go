package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"time"

	"codemode/vm"
)

var limits = vm.Limits{MemoryBytes: 64 << 20, OutputBytes: 64 << 10, PendingCalls: 16, InputBytes: 1 << 20}

type noHost struct{}

func (noHost) Load(string, string) (json.RawMessage, error) { return nil, nil }

// measureVM lets package vm have its turn.
func measureVM(ctx context.Context, into *sample) (err error) {
	engine, err := vm.New(ctx, vm.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, engine.Close(ctx)) }()
	turn := newSample()
	turn.Versions["go"] = runtime.Version()
	for _, name := range []string{"return", "call", "loop"} {
		if err := turn.measure(name, func() error { return runCell(engine, name) }); err != nil {
			return err
		}
	}
	// There is no thread to be made for a cell, and what a suspended VM gives is compressed already.
	turn.Times["thread"] = turn.Times["return"]
	if err := turn.measureStates(engine); err != nil {
		return err
	}
	into.add(turn)
	return nil
}

func (s *sample) measureStates(engine *vm.Engine) error {
	parked, err := engine.Start(noHost{}, limits)
	if err != nil {
		return err
	}
	defer parked.Close()
	if _, err := parked.Run(vm.Cell{Code: cellCall}, deadline()); err != nil {
		return err
	}
	var state vm.State
	err = s.measure("suspend", func() (err error) {
		state, err = parked.Suspend(10 << 20)
		return err
	})
	if err != nil {
		return err
	}
	resume := func() (*vm.VM, error) { return engine.Resume(state.Data, state.Counters, noHost{}, limits) }
	v, err := resume()
	if err != nil {
		return err
	}
	if err := settle(v, "call"); err != nil { // the answer is right
		return err
	}
	v.Close()
	s.Times["store"], s.Bytes["suspend"], s.Bytes["store"] = s.Times["suspend"], len(state.Data), len(state.Data)
	err = s.measure("resume", func() error {
		v, err := resume()
		if err == nil {
			v.Close()
		}
		return err
	})
	s.Times["load"] = s.Times["resume"]
	return err
}

// measure runs step some times unmeasured and then as often as the plan says.
func (s *sample) measure(name string, step func() error) error {
	count := thePlan.Counts[name]
	for i := -(count + 9) / 10; i < count; i++ {
		began := time.Now()
		if err := step(); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if i >= 0 {
			s.Times[name] = append(s.Times[name], float64(time.Since(began).Nanoseconds())/1e6)
		}
	}
	return nil
}

func deadline() time.Time { return time.Now().Add(time.Minute) }

// runCell runs a cell from its source text to its value.
func runCell(engine *vm.Engine, name string) error {
	v, err := engine.Start(noHost{}, limits)
	if err != nil {
		return err
	}
	defer v.Close()
	turn, err := v.Run(vm.Cell{Code: thePlan.Cells[name]}, deadline())
	if err != nil {
		return err
	}
	if len(turn.Requests) == 1 {
		return settle(v, name)
	}
	return check(turn, name)
}

func settle(v *vm.VM, name string) error {
	turn, err := v.Settle(vm.Settlement{ID: 1, Remote: true, Value: json.RawMessage(answer)}, deadline())
	if err != nil {
		return err
	}
	return check(turn, name)
}

func check(turn vm.Turn, name string) error {
	if turn.Thrown != nil {
		return errors.New(turn.Thrown.Text)
	}
	if got, want := string(turn.Returned), thePlan.Want[name]; got != want {
		return fmt.Errorf("got %s, want %s", got, want)
	}
	return nil
}
