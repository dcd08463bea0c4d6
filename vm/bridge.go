package vm

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"runtime"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"codemode/protocol"
)

// Operations of the guest's host function; the numbers are those of guest/controller.js.
const (
	opEmit = iota
	opRequest
	opLoad
	opTimer
	opClear
	opOverflow
)

// fuelRefill is how many loop headers pass between two looks at the clock: 0.3 to 1 ms of guest time.
const fuelRefill = 100_000

// registerHost defines everything the engine imports. It grants no files, no network, no environment,
// no real clock and no entropy (contract 17).
func registerHost(ctx context.Context, rt wazero.Runtime) error {
	i32, i64 := api.ValueTypeI32, api.ValueTypeI64
	type fn struct {
		name    string
		params  []api.ValueType
		results []api.ValueType
		code    func(in *instance, stack []uint64)
	}
	one := []api.ValueType{i32}
	modules := map[string][]fn{
		"env": {
			{"host_call", []api.ValueType{i32, i32, i32, i32, i32}, one, hostCall},
			{"host_interrupt", nil, one, hostInterrupt},
			{"host_module_normalize", []api.ValueType{i32, i32}, one, hostModule},
			{"host_module_load", []api.ValueType{i32, i32}, one, hostModule},
			{"host_promise_rejection", []api.ValueType{i32, i32, i32}, nil, hostNothing},
			{"host_get_timezone_offset", []api.ValueType{i32, i32}, one, hostNothing},
		},
		"wasi_snapshot_preview1": {
			{"clock_time_get", []api.ValueType{i32, i64, i32}, one, hostClock},
			{"random_get", []api.ValueType{i32, i32}, one, hostRandom},
			{"fd_close", one, one, hostBadFile},
			{"fd_fdstat_get", []api.ValueType{i32, i32}, one, hostBadFile},
			{"fd_seek", []api.ValueType{i32, i64, i32, i32}, one, hostBadFile},
			{"fd_write", []api.ValueType{i32, i32, i32, i32}, one, hostBadFile},
		},
	}
	for module, fns := range modules {
		b := rt.NewHostModuleBuilder(module)
		for _, f := range fns {
			code := api.GoFunc(func(ctx context.Context, stack []uint64) { f.code(instanceOf(ctx), stack) })
			b.NewFunctionBuilder().WithGoFunction(code, f.params, f.results).Export(f.name)
		}
		if _, err := b.Instantiate(ctx); err != nil {
			return fmt.Errorf("define host module %s: %w", module, err)
		}
	}
	return nil
}

func hostNothing(_ *instance, stack []uint64) {
	if len(stack) > 0 {
		stack[0] = 0
	}
}

// hostBadFile answers every file operation with EBADF: there are no files.
func hostBadFile(_ *instance, stack []uint64) { stack[0] = 8 }

// hostRandom gives zeros: randomness is the run's own (contract 5.11), made in the guest.
func hostRandom(in *instance, stack []uint64) {
	mem := in.mem.bytes()
	if at, n := uint64(uint32(stack[0])), uint64(uint32(stack[1])); at+n <= uint64(len(mem)) {
		clear(mem[at : at+n])
	}
	stack[0] = 0
}

// hostClock is every time source of the guest: the run clock.
func hostClock(in *instance, stack []uint64) {
	mem := in.mem.bytes()
	if at := uint64(uint32(stack[2])); at+8 <= uint64(len(mem)) {
		binary.LittleEndian.PutUint64(mem[at:], uint64(in.clock().UnixNano()))
	}
	stack[0] = 0
}

func (in *instance) clock() time.Time {
	if in.vm == nil {
		return imageTime
	}
	return in.vm.clock
}

// hostInterrupt is called by every loop when its fuel is used up, and by the engine's own poll. It is
// where endless code ends: by a panic, which unwinds the guest without its co-operation.
func hostInterrupt(in *instance, stack []uint64) {
	stack[0] = 0
	if in.fuel.Get() == 0 {
		in.fuel.Set(fuelRefill)
	}
	if in.vm == nil {
		return
	}
	if err := in.vm.interrupted(); err != nil {
		in.vm.fail(err)
	}
	// Compiled code cannot be preempted; this is where other goroutines and the collector get their turn.
	runtime.Gosched()
}

// hostModule is reached by an attempt to load a module, however it was hidden from the source check.
func hostModule(in *instance, stack []uint64) {
	if in.vm != nil {
		in.vm.fail(protocol.ErrModuleAccess)
	}
	stack[0] = 0
}

// hostCall is the bridge: host(op, a, b) of controller.js.
func hostCall(in *instance, stack []uint64) {
	argc, argv := int(uint32(stack[3])), uint32(stack[4])
	v := in.vm
	if v == nil || argc == 0 {
		panic(fmt.Errorf("bridge called outside a run"))
	}
	arg := func(i int) value {
		if i >= argc {
			return undefined
		}
		mem := in.mem.bytes()
		cell := binary.LittleEndian.Uint32(mem[argv+uint32(i)*4:])
		return value(binary.LittleEndian.Uint64(mem[cell:]))
	}
	text := func(i int) string {
		s, err := in.text(arg(i))
		if err != nil {
			v.fail(v.failure(err))
		}
		return s
	}
	result := undefined
	switch op := int(int32(uint32(arg(0)))); op {
	case opEmit:
		v.emit(text(1), text(2))
	case opRequest:
		result = intValue(v.request(protocol.Method(text(1)), json.RawMessage(text(2))))
	case opTimer:
		result = intValue(v.timer(json.RawMessage(text(1))))
	case opClear:
		v.clearTimer(int(int32(uint32(arg(1)))))
	case opLoad:
		s, err := in.newString(v.load(text(1), text(2)))
		if err != nil {
			v.fail(v.failure(err))
		}
		result = s
	case opOverflow:
		v.overflow(!v.final)
	default:
		v.fail(&protocol.Error{Detail: protocol.DetailInternal, Message: "unsupported code mode bridge method"})
	}
	cell, err := in.call(fnMalloc, 8)
	if err != nil || cell == 0 {
		v.fail(v.failure(errNoMemory))
	}
	binary.LittleEndian.PutUint64(in.mem.bytes()[cell:], uint64(result))
	stack[0] = cell
}
