// Package wasm rewrites a WebAssembly module so that no code in it can run for ever unseen: every loop
// and every copy or fill of memory counts down a fuel counter and calls a host function when it is used up.
//
// Without it a native loop of the engine would never come back, and compiled wasm that never comes back
// stops the Go garbage collector and with it the whole process (vm/DESIGN.md, "stopping hostile code").
package wasm

import (
	"bytes"
	"slices"
)

// Options say what Rewrite adds.
type Options struct {
	// InterruptModule and InterruptName name the imported function that is called when fuel is used up.
	// It takes nothing and gives an i32; a non-zero answer ends execution by an unreachable trap.
	InterruptModule, InterruptName string
	// FuelExport is the name under which the counter, a mutable i32 global, is exported. It begins at 0,
	// so the first loop asks for a refill.
	FuelExport string
	// MarkFunction is the export name of a function whose calls are to be noticed, "" for none: each sets
	// the mutable i32 global that is exported as MarkExport to 1.
	MarkFunction, MarkExport string
}

// Segment is an active data segment that Rewrite took out of the module.
type Segment struct {
	Offset uint32
	Data   []byte
}

// Module is the outcome of Rewrite.
type Module struct {
	Code     []byte    // the module, without its data segments
	Segments []Segment // what to write into its memory before it is used
	Loops    int       // how many loop headers got a check
	Pages    uint32    // memory it begins with, in 64 KiB pages
}

var header = []byte{0, 'a', 's', 'm', 1, 0, 0, 0}

// Section ids of the binary format.
const (
	secType      = 1
	secImport    = 2
	secFunction  = 3
	secMemory    = 5
	secGlobal    = 6
	secExport    = 7
	secCode      = 10
	secData      = 11
	secDataCount = 12
)

type rewriter struct {
	opt       Options
	out       Module
	imported  int
	interrupt int    // function index, -1 until seen
	marked    int    // function index, -1 for none
	fuel      uint32 // global index; the mark's is the next one
	bulk      bulk
	sawGlobal bool
}

// Rewrite adds the checks. It fails with an error that wraps ErrMalformed for a module it cannot read
// in full: one with another form of data segment, an unknown instruction, an imported memory or global.
func Rewrite(module []byte, opt Options) (Module, error) {
	body, ok := bytes.CutPrefix(module, header)
	if !ok {
		return Module{}, malformed("no wasm header of version 1")
	}
	w := &rewriter{opt: opt, interrupt: -1, marked: -1}
	w.out.Code = slices.Clone(header)
	r := &reader{data: body}
	for r.more() {
		id := r.byte()
		section := r.bytes(int(r.uint()))
		if r.err != nil {
			break
		}
		if err := w.section(id, section); err != nil {
			return Module{}, err
		}
	}
	if r.err != nil {
		return Module{}, r.err
	}
	if w.marked < 0 && opt.MarkFunction != "" {
		return Module{}, malformed("function %s is not exported before the code", opt.MarkFunction)
	}
	if w.interrupt < 0 || !w.sawGlobal || w.out.Pages == 0 {
		return Module{}, malformed("import of %s.%s, memory or global section is missing", opt.InterruptModule, opt.InterruptName)
	}
	return w.out, nil
}

func (w *rewriter) section(id byte, data []byte) error {
	r := &reader{data: data}
	switch id {
	case secType:
		data = w.bulk.types(r)
	case secImport:
		w.imports(r)
	case secFunction:
		data = w.bulk.functions(r, w.imported)
	case secMemory:
		w.memory(r)
	case secGlobal:
		data = w.globals(r)
	case secExport:
		data = w.exports(r)
	case secCode:
		data = w.code(r)
	case secData:
		w.data(r)
		data = appendUint(nil, 0)
	case secDataCount:
		data = appendUint(nil, 0)
	}
	if r.err != nil {
		return r.err
	}
	w.out.Code = append(appendUint(append(w.out.Code, id), uint32(len(data))), data...)
	return nil
}

func (w *rewriter) imports(r *reader) {
	n := r.uint()
	funcs := 0
	for i := uint32(0); i < n && r.err == nil; i++ {
		module, name, kind := r.name(), r.name(), r.byte()
		if kind != 0 {
			r.fail("import that is no function")
			return
		}
		r.uint()
		if module == w.opt.InterruptModule && name == w.opt.InterruptName {
			w.interrupt = funcs
		}
		funcs++
	}
	w.imported = funcs
}

func (w *rewriter) exports(r *reader) []byte {
	n := r.uint()
	rest := r.data[r.pos:]
	for range n {
		name, kind, index := r.name(), r.byte(), r.uint()
		if r.err != nil {
			return nil
		}
		if kind == 0 && name == w.opt.MarkFunction {
			w.marked = int(index)
		}
	}
	out := append(appendUint(nil, n+2), rest...)
	out = appendUint(append(appendName(out, w.opt.FuelExport), 3), w.fuel)
	return appendUint(append(appendName(out, w.opt.MarkExport), 3), w.fuel+1)
}

func (w *rewriter) memory(r *reader) {
	if n := r.uint(); n != 1 {
		r.fail("not exactly one memory")
		return
	}
	flags, pages := r.byte(), r.uint()
	if flags > 1 {
		r.fail("memory is shared or 64 bit")
	}
	w.out.Pages = pages
}

func (w *rewriter) globals(r *reader) []byte {
	w.fuel = r.uint()
	w.sawGlobal = true
	out := append(appendUint(nil, w.fuel+2), r.data[r.pos:]...)
	for range 2 {
		out = append(out, 0x7f, 1, opI32Const, 0, opEnd)
	}
	return out
}

func (w *rewriter) code(r *reader) []byte {
	if w.interrupt < 0 || !w.sawGlobal || !w.bulk.sawTypes || !w.bulk.sawIndexes {
		r.fail("code before its types, imports, functions or globals")
		return nil
	}
	w.bulk.fuel, w.bulk.interrupt = w.fuel, uint32(w.interrupt)
	check := w.check()
	n := r.uint()
	out := appendUint(make([]byte, 0, len(r.data)*21/20), n+2)
	var fn []byte
	for i := uint32(0); i < n && r.err == nil; i++ {
		var mark []byte
		if int(i)+w.imported == w.marked {
			mark = appendUint([]byte{opI32Const, 1, opGlobalSet}, w.fuel+1)
		}
		fn = w.function(fn[:0], r.bytes(int(r.uint())), check, mark, r)
		out = append(appendUint(out, uint32(len(fn))), fn...)
	}
	for _, body := range w.bulk.bodies() {
		out = append(appendUint(out, uint32(len(body))), body...)
	}
	return out
}

// check is the code behind each loop header:
//
//	global.get F; if; global.get F; i32.const -1; i32.add; global.set F
//	else; call interrupt; if; unreachable; end; end
func (w *rewriter) check() []byte {
	b := appendUint([]byte{opGlobalGet}, w.fuel)
	b = appendUint(append(b, opIf, blockVoid, opGlobalGet), w.fuel)
	b = append(appendInt(append(b, opI32Const), -1), opI32Add)
	b = appendUint(append(b, opGlobalSet), w.fuel)
	b = appendUint(append(b, opElse, opCall), uint32(w.interrupt))
	return append(b, opIf, blockVoid, opUnreachable, opEnd, opEnd)
}

// function copies a body with a check behind each loop header, calls in place of bulk instructions, and
// mark at its beginning.
func (w *rewriter) function(out, body, check, mark []byte, parent *reader) []byte {
	r := &reader{data: body}
	for range r.uint() { // locals
		r.skip(2)
		if r.err != nil {
			break
		}
	}
	out = append(append(out, body[:min(r.pos, len(body))]...), mark...)
	from := min(r.pos, len(body))
	for r.more() {
		at := r.pos
		op, sub := r.step()
		if r.err != nil {
			break
		}
		if op == opLoop {
			out = append(append(out, body[from:r.pos]...), check...)
			from = r.pos
			w.out.Loops++
		} else if call, ok := w.bulk.call(sub); ok && op == opPrefixFC {
			out = append(append(out, body[from:at]...), call...)
			from = r.pos
		}
	}
	if r.err != nil && parent.err == nil {
		parent.err = r.err
	}
	return append(out, body[from:]...)
}

func (w *rewriter) data(r *reader) {
	n := r.uint()
	for range n {
		if flag := r.uint(); flag != 0 && r.err == nil {
			r.fail("data segment that is not active")
		}
		if r.byte() != opI32Const {
			r.fail("data segment without a constant offset")
		}
		offset := uint32(r.int())
		if r.byte() != opEnd {
			r.fail("data segment without a constant offset")
		}
		seg := Segment{Offset: offset, Data: r.bytes(int(r.uint()))}
		if r.err != nil {
			return
		}
		w.out.Segments = append(w.out.Segments, seg)
	}
}
