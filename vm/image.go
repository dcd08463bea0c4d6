package vm

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tetratelabs/wazero"

	"codemode/vm/wasm"
)

const controllerFile = "controller.js"

//go:embed guest/render.js
var renderJS string

//go:embed guest/controller.js
var controllerJS string

// imageTime is the clock while the base image is made, so that two builds give the same image.
var imageTime = time.UnixMilli(1_700_000_000_000).UTC()

// heapReserve is free memory that the image foresees, so that an ordinary cell need not grow its memory,
// which would cost it its instance. Pages that are not touched cost nothing.
const heapReserve = 4 << 20

// gcHeadroom is how much a cell allocates before cycles are first collected; half the smallest heap limit.
const gcHeadroom = 512 << 10

// maxStackBytes is the guest's stack: deeper recursion is a RangeError. The module has 1 MiB, half of
// which is left for native frames.
const maxStackBytes = 512 << 10

// image is the base image: the memory of a VM in which the controller has run and no cell yet.
type image struct {
	memory   []byte
	ids      handles
	heapUsed int // bytes that count against the engine's memory limit
	sp       uint64
	globals  []string
}

// identity of the image: state deltas fit only a VM of the same one.
func (im *image) identity(module []byte) [32]byte {
	h := sha256.New()
	h.Write(module)
	h.Write(im.memory)
	return [32]byte(h.Sum(nil))
}

// buildImage runs the engine's initialisation and the controller once.
func buildImage(ctx context.Context, rt wazero.Runtime, code wazero.CompiledModule, mod wasm.Module) (*image, error) {
	empty, err := newBase(make([]byte, int(mod.Pages)*wasmPageSize))
	if err != nil {
		return nil, err
	}
	mem, err := empty.allocate()
	if err != nil {
		return nil, errors.Join(err, empty.close())
	}
	in, err := instantiate(ctx, rt, code, mem, handles{})
	if err != nil {
		return nil, errors.Join(err, empty.close())
	}
	im, err := in.build(mod)
	return im, errors.Join(err, in.close(), empty.close())
}

func (in *instance) build(mod wasm.Module) (*image, error) {
	for _, s := range mod.Segments {
		copy(in.mem.bytes()[s.Offset:], s.Data)
	}
	if err := in.initialise(); err != nil {
		return nil, err
	}
	globals, err := in.loadController()
	if err != nil {
		return nil, err
	}
	if _, err := in.callNamed("JS_RunGC", uint64(in.ids.runtime)); err != nil {
		return nil, err
	}
	if err := in.reserveHeap(); err != nil {
		return nil, err
	}
	used, err := in.heapUsed()
	if err != nil {
		return nil, err
	}
	if _, err := in.callNamed("JS_SetGCThreshold", uint64(in.ids.runtime), uint64(used+gcHeadroom)); err != nil {
		return nil, err
	}
	sp := in.sp.Get()
	clear(in.mem.bytes()[:sp])
	return &image{memory: slices.Clone(in.mem.bytes()), ids: in.ids, heapUsed: used, sp: sp, globals: globals}, nil
}

// Where a JSRuntime counts its heap: behind five function pointers, a JSMallocState { count, size, limit, opaque }.
const (
	runtimeHeapSize  = 24
	runtimeHeapLimit = 28
)

// heapUsed reads the count that the engine compares with its memory limit. It is not what
// qjs_get_allocated_size gives, which has the allocator's own needs in it.
func (in *instance) heapUsed() (int, error) {
	const probe = 0x7654321
	if _, err := in.call(fnSetMemoryLimit, uint64(in.ids.runtime), probe); err != nil {
		return 0, err
	}
	counters := in.mem.bytes()[in.ids.runtime:]
	if binary.LittleEndian.Uint32(counters[runtimeHeapLimit:]) != probe {
		return 0, errors.New("engine counts its heap in another place")
	}
	return int(binary.LittleEndian.Uint32(counters[runtimeHeapSize:])), nil
}

func (in *instance) initialise() error {
	if _, err := in.callNamed("_initialize"); err != nil {
		return err
	}
	if status, err := in.callNamed("qjs_init"); err != nil || status != 0 {
		return errors.Join(fmt.Errorf("engine did not initialise: status %d", status), err)
	}
	for _, c := range []struct {
		name string
		arg  uint64
	}{
		{"qjs_set_interrupt_handler", 1},
		{"qjs_set_module_loader", 1},
		{"qjs_set_max_stack_size", maxStackBytes},
	} {
		if _, err := in.callNamed(c.name, c.arg); err != nil {
			return err
		}
	}
	rt, err := in.callNamed("qjs_get_runtime_ptr")
	if err != nil {
		return err
	}
	cx, err := in.callNamed("qjs_get_context_ptr")
	if err != nil {
		return err
	}
	in.ids.runtime, in.ids.context = uint32(rt), uint32(cx)
	return in.layout()
}

// layout makes the places in guest memory that the host writes to.
func (in *instance) layout() error {
	var err error
	if in.ids.scratch, err = in.put(string(make([]byte, numSlots*8))); err != nil {
		return err
	}
	if in.ids.names, err = in.put("cell.js"); err != nil {
		return err
	}
	if in.ids.nameTS, err = in.put("cell.ts"); err != nil {
		return err
	}
	if in.ids.options, err = in.put(string(make([]byte, 16))); err != nil {
		return err
	}
	binary.LittleEndian.PutUint32(in.mem.bytes()[in.ids.options:], 1) // JSEvalOptions.version
	in.setFileName(false)
	for i := range numSlots {
		in.setSlot(i, undefined)
	}
	return nil
}

// setFileName writes the JSEvalOptions { version, flags, file name, first line } of a cell. The wrapper's
// head is lines -1 and 0 (the engine takes 0 for "not given"), so that the cell's own lines begin at 1.
func (in *instance) setFileName(typeScript bool) {
	name := in.ids.names
	if typeScript {
		name = in.ids.nameTS
	}
	binary.LittleEndian.PutUint32(in.mem.bytes()[in.ids.options+8:], name)
	binary.LittleEndian.PutUint32(in.mem.bytes()[in.ids.options+12:], 1<<32-1)
}

// loadController evaluates the guest library and the controller, whose result holds the entry points and
// the names of all globals, which it gives.
func (in *instance) loadController() ([]string, error) {
	code, err := guestLibrary()
	if err != nil {
		return nil, err
	}
	maker, err := in.compileAndRun(code)
	if err != nil {
		return nil, fmt.Errorf("evaluate guest library: %w", err)
	}
	global, err := in.callNamed("JS_GetGlobalObject", uint64(in.ids.context))
	if err != nil {
		return nil, err
	}
	hostName, err := in.put("host")
	if err != nil {
		return nil, err
	}
	host, err := in.callNamed("qjs_new_host_function", uint64(hostName), 4, 3)
	if err != nil {
		return nil, err
	}
	hostFn, err := in.cell(uint32(host))
	if err != nil {
		return nil, err
	}
	api, err := in.invoke(maker, value(global), hostFn)
	if err != nil {
		return nil, err
	}
	if api.tag() == tagException {
		return nil, fmt.Errorf("run controller: %w", in.exception())
	}
	for key, dst := range map[string]*value{"start": &in.ids.start, "settle": &in.ids.settle, "describe": &in.ids.describe, "value": &in.ids.render} {
		if *dst, err = in.property(api, key); err != nil {
			return nil, err
		}
	}
	if err := in.free(hostName); err != nil {
		return nil, err
	}
	names, err := in.property(api, "globals")
	if err != nil {
		return nil, err
	}
	list, err := in.text(names)
	return strings.Fields(list), err
}

// stripSource makes the engine forget the text of functions: it would take memory, and be shown by toString.
const stripSource = 1 << 4

// compileAndRun evaluates a script whose functions show no source text.
func (in *instance) compileAndRun(code string) (value, error) {
	name, err := in.put(controllerFile)
	if err != nil {
		return 0, err
	}
	src, err := in.put(code)
	if err != nil {
		return 0, err
	}
	lenPtr := in.ids.scratch
	compiled, err := in.callNamed("qjs_compile", uint64(src), uint64(len(code)), uint64(name), 0, stripSource, uint64(lenPtr))
	if err != nil {
		return 0, err
	}
	if compiled == 0 {
		return 0, in.exception()
	}
	n := binary.LittleEndian.Uint32(in.mem.bytes()[lenPtr:])
	cell, err := in.callNamed("qjs_eval_bytecode", compiled, uint64(n))
	if err != nil {
		return 0, err
	}
	v, err := in.cell(uint32(cell))
	if err != nil {
		return 0, err
	}
	in.setSlot(0, undefined)
	return v, errors.Join(in.free(name), in.free(src), in.free(uint32(compiled)))
}

func (in *instance) property(obj value, key string) (value, error) {
	name, err := in.put(key)
	if err != nil {
		return 0, err
	}
	v, err := in.callNamed("JS_GetPropertyStr", uint64(in.ids.context), uint64(obj), uint64(name))
	if err != nil {
		return 0, err
	}
	if value(v).tag() >= 0 {
		return 0, fmt.Errorf("controller has no %s", key)
	}
	return value(v), in.free(name)
}

// cell reads the value an engine wrapper function returned by address.
func (in *instance) cell(ptr uint32) (value, error) {
	if ptr == 0 {
		return 0, errNoMemory
	}
	v := value(binary.LittleEndian.Uint64(in.mem.bytes()[ptr:]))
	if v.tag() == tagException {
		return 0, in.exception()
	}
	return v, nil
}

// exception gives the pending exception while the image is built, when it can only be a fault of ours.
func (in *instance) exception() error {
	raw, err := in.callNamed("JS_GetException", uint64(in.ids.context))
	if err != nil {
		return err
	}
	text, err := in.text(value(raw))
	if err != nil {
		return err
	}
	if stack, err := in.property(value(raw), "stack"); err == nil {
		if s, err := in.text(stack); err == nil {
			text += "\n" + s
		}
	}
	return errors.New(text)
}

// maxSmall is above the largest size that the engine's own allocator takes from a slab.
const maxSmall = 1024

// reserveHeap grows the memory and leaves the growth as the only free space: the holes that the
// initialisation left, in the engine's slabs and in the heap below, are filled for good, and each size
// gets a fresh slab. A cell's data then lies together, on zeros, which makes few pages differ from the
// image and compresses well.
func (in *instance) reserveHeap() error {
	reserve, err := in.call(fnMalloc, heapReserve)
	if err != nil || reserve == 0 {
		return errors.Join(errNoMemory, err)
	}
	clear(in.mem.bytes()[reserve : reserve+heapReserve])
	limit := in.mem.limit
	in.mem.limit = in.mem.size // an allocation now finds room or fails
	for size := uint64(8); size <= maxSmall; size += 8 {
		if err := in.fill(size, in.mallocSmall); err != nil {
			return err
		}
	}
	for size := uint64(1 << 20); size >= 8; size /= 2 {
		if err := in.fill(size, in.mallocPlain); err != nil {
			return err
		}
	}
	in.mem.limit = limit
	if err := in.free(uint32(reserve)); err != nil {
		return err
	}
	for size := uint64(8); size <= maxSmall; size += 8 {
		if _, err := in.mallocSmall(size); err != nil {
			return err
		}
	}
	return nil
}

func (in *instance) mallocPlain(size uint64) (uint64, error) { return in.call(fnMalloc, size) }

func (in *instance) mallocSmall(size uint64) (uint64, error) {
	return in.callNamed("js_malloc_rt", uint64(in.ids.runtime), size)
}

// fill allocates blocks of one size until there is no room, and zeroes them.
func (in *instance) fill(size uint64, malloc func(uint64) (uint64, error)) error {
	for {
		ptr, err := malloc(size)
		if err != nil || ptr == 0 {
			return err
		}
		clear(in.mem.bytes()[ptr : ptr+size])
	}
}
