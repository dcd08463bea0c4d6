package vm

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
)

// The engine's functions that the host calls.
const (
	fnMalloc = iota
	fnFree
	fnEval
	fnCall
	fnIsFunction
	fnPromiseState
	fnPromiseResult
	fnGetException
	fnRunJob
	fnFreeValue
	fnNewString
	fnToCString
	fnFreeCString
	fnSetMemoryLimit
	numFns
)

var fnNames = [numFns]string{
	fnMalloc: "wasm_malloc", fnFree: "wasm_free", fnEval: "JS_Eval2", fnCall: "JS_Call", fnIsFunction: "JS_IsFunction",
	fnPromiseState: "JS_PromiseState", fnPromiseResult: "JS_PromiseResult", fnGetException: "JS_GetException",
	fnRunJob: "JS_ExecutePendingJob", fnFreeValue: "JS_FreeValue", fnNewString: "JS_NewStringLen",
	fnToCString: "JS_ToCStringLen2", fnFreeCString: "JS_FreeCString", fnSetMemoryLimit: "JS_SetMemoryLimit",
}

// value is a JSValue of the engine, which packs a tag into the upper half of 64 bits.
type value uint64

const (
	tagInt           = 0
	tagNull          = 2
	tagUndefined     = 3
	tagUninitialized = 4 // no guest value: thrown where the engine failed to allocate and made no error
	tagException     = 6
	null             = value(tagNull << 32)
	undefined        = value(tagUndefined << 32)
)

func (v value) tag() int32 { return int32(v >> 32) }

// immediate reports whether v is surely no reference to something on the heap.
func (v value) immediate() bool { return v.tag() >= tagInt && v.tag() <= tagException }

func intValue(n int) value { return value(uint32(int32(n))) }

// errNoMemory says that the engine could not allocate: the guest's heap is used up.
var errNoMemory = errors.New("guest memory exhausted")

// instance is one WebAssembly instance of the engine. It is used by one goroutine at a time.
type instance struct {
	mod   api.Module
	mem   *linear
	fuel  api.MutableGlobal
	sp    api.MutableGlobal
	oom   api.MutableGlobal
	fns   [numFns]api.Function
	stack [8]uint64
	ctx   context.Context // carries this instance to host functions
	ids   handles
	vm    *VM // the VM that runs in it, nil between runs

	pages []uint32 // scratch
}

// handles are addresses and values inside the guest that are the same in every VM of one image.
type handles struct {
	runtime, context uint32
	scratch          uint32 // numSlots values that the host writes and the guest keeps for it
	start, settle    value  // entry points of controller.js
	describe, render value
	names            uint32 // file names as C strings
	nameTS           uint32
	options          uint32 // a JSEvalOptions
}

const (
	numSlots = 8
	slotCell = 7 // the cell's promise; undefined once its outcome was taken
)

type instanceKey struct{}

func instanceOf(ctx context.Context) *instance { return ctx.Value(instanceKey{}).(*instance) }

// instantiate makes an instance over mem.
func instantiate(ctx context.Context, rt wazero.Runtime, code wazero.CompiledModule, mem *linear, ids handles) (*instance, error) {
	in := &instance{mem: mem, ids: ids}
	in.ctx = context.WithValue(ctx, instanceKey{}, in)
	alloc := experimental.MemoryAllocatorFunc(func(_, _ uint64) experimental.LinearMemory { return mem })
	mod, err := rt.InstantiateModule(experimental.WithMemoryAllocator(in.ctx, alloc), code,
		wazero.NewModuleConfig().WithName("").WithStartFunctions())
	if err != nil {
		mem.Free()
		return nil, fmt.Errorf("instantiate engine: %w", err)
	}
	in.mod = mod
	// The module declares the memory of an engine that has not run; the image is larger.
	if pages := uint32(mem.size / wasmPageSize); pages > mod.Memory().Size()/wasmPageSize {
		if _, ok := mod.Memory().Grow(pages - mod.Memory().Size()/wasmPageSize); !ok {
			return nil, errors.Join(fmt.Errorf("memory cannot hold the image of %d pages", pages), in.close())
		}
	}
	var ok [3]bool
	in.fuel, ok[0] = mod.ExportedGlobal(fuelExport).(api.MutableGlobal)
	in.sp, ok[1] = mod.ExportedGlobal("__stack_pointer").(api.MutableGlobal)
	in.oom, ok[2] = mod.ExportedGlobal(oomExport).(api.MutableGlobal)
	if !ok[0] || !ok[1] || !ok[2] {
		return nil, errors.Join(errors.New("engine does not export its stack pointer, fuel counter and memory mark"), in.close())
	}
	for i, name := range fnNames {
		if in.fns[i] = mod.ExportedFunction(name); in.fns[i] == nil {
			return nil, errors.Join(fmt.Errorf("engine does not export %s", name), in.close())
		}
	}
	return in, nil
}

func (in *instance) close() error { return in.mod.Close(in.ctx) }

// call runs an engine function; args must be as many as it takes.
func (in *instance) call(fn int, args ...uint64) (uint64, error) {
	n := copy(in.stack[:], args)
	if err := in.fns[fn].CallWithStack(in.ctx, in.stack[:max(n, 1)]); err != nil {
		return 0, err
	}
	return in.stack[0], nil
}

// callNamed runs an engine function that is needed only while the image is built.
func (in *instance) callNamed(name string, args ...uint64) (uint64, error) {
	out, err := in.mod.ExportedFunction(name).Call(in.ctx, args...)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", name, err)
	}
	if len(out) == 0 {
		return 0, nil
	}
	return out[0], nil
}

// put copies text into the guest with a zero byte behind it; the caller frees the address.
func (in *instance) put(text string) (uint32, error) {
	ptr, err := in.call(fnMalloc, uint64(len(text)+1))
	if err != nil {
		return 0, err
	}
	if ptr == 0 {
		return 0, errNoMemory
	}
	mem := in.mem.bytes()
	copy(mem[ptr:], text)
	mem[int(ptr)+len(text)] = 0
	return uint32(ptr), nil
}

func (in *instance) free(ptr uint32) error {
	_, err := in.call(fnFree, uint64(ptr))
	return err
}

// newString makes a guest string.
func (in *instance) newString(text string) (value, error) {
	ptr, err := in.put(text)
	if err != nil {
		return 0, err
	}
	v, err := in.call(fnNewString, uint64(in.ids.context), uint64(ptr), uint64(len(text)))
	if err != nil {
		return 0, err
	}
	if value(v).tag() == tagException {
		return 0, errNoMemory
	}
	return value(v), in.free(ptr)
}

// text reads a guest value as a string.
func (in *instance) text(v value) (string, error) {
	lenPtr := in.ids.scratch + 6*8
	ptr, err := in.call(fnToCString, uint64(in.ids.context), uint64(lenPtr), uint64(v), 0)
	if err != nil {
		return "", err
	}
	if ptr == 0 {
		return "", errNoMemory
	}
	mem := in.mem.bytes()
	n := binary.LittleEndian.Uint32(mem[lenPtr:])
	if uint64(ptr)+uint64(n) > uint64(len(mem)) {
		return "", fmt.Errorf("engine gave a string outside its memory")
	}
	s := string(mem[ptr : uint32(ptr)+n])
	_, err = in.call(fnFreeCString, uint64(in.ids.context), ptr)
	return s, err
}

func (in *instance) slot(i int) value {
	return value(binary.LittleEndian.Uint64(in.mem.bytes()[in.ids.scratch+uint32(i)*8:]))
}

func (in *instance) setSlot(i int, v value) {
	binary.LittleEndian.PutUint64(in.mem.bytes()[in.ids.scratch+uint32(i)*8:], uint64(v))
}

// invoke calls a guest function with args, which stay the caller's.
func (in *instance) invoke(fn value, args ...value) (value, error) {
	for i, a := range args {
		in.setSlot(i, a)
	}
	v, err := in.call(fnCall, uint64(in.ids.context), uint64(fn), uint64(undefined), uint64(len(args)), uint64(in.ids.scratch))
	return value(v), err
}

func (in *instance) freeValue(v value) error {
	if v.immediate() {
		return nil
	}
	_, err := in.call(fnFreeValue, uint64(in.ids.context), uint64(v))
	return err
}
