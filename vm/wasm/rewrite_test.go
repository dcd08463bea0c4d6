package wasm

import (
	"context"
	"errors"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

var testOptions = Options{InterruptModule: "env", InterruptName: "tick", FuelExport: "fuel", MarkExport: "mark"}

// section encodes a section of the binary format.
func section(id byte, items ...[]byte) []byte {
	body := appendUint(nil, uint32(len(items)))
	for _, item := range items {
		body = append(body, item...)
	}
	return append(appendUint([]byte{id}, uint32(len(body))), body...)
}

// fn encodes a function body without locals.
func fn(code ...byte) []byte {
	body := append([]byte{0}, code...)
	return append(appendUint(nil, uint32(len(body))), body...)
}

// module makes a module with the import env.tick, one memory, one global, and the functions given, which
// take an i32 and give one and are exported as "a", "b", ….
func module(fns ...[]byte) []byte {
	out := append([]byte{}, header...)
	out = append(out, section(1, []byte{0x60, 0, 1, 0x7f}, []byte{0x60, 1, 0x7f, 1, 0x7f})...)
	out = append(out, section(secImport, append(appendName(appendName(nil, "env"), "tick"), 0, 0))...)
	var types, exports [][]byte
	for i := range fns {
		types = append(types, []byte{1})
		exports = append(exports, appendUint(append(appendName(nil, string(rune('a'+i))), 0), uint32(i+1)))
	}
	exports = append(exports, append(appendName(nil, "memory"), 2, 0))
	out = append(out, section(3, types...)...)
	out = append(out, section(secMemory, []byte{0, 1})...)
	out = append(out, section(secGlobal, []byte{0x7f, 1, opI32Const, 7, opEnd})...)
	out = append(out, section(secExport, exports...)...)
	out = append(out, section(secCode, fns...)...)
	return append(out, section(secData, append([]byte{0, opI32Const, 8, opEnd, 3}, "abc"...))...)
}

var (
	// countdown: loop; local.get 0; i32.const 1; i32.sub; local.tee 0; br_if 0; end; local.get 0
	countdown = fn(opLoop, blockVoid, 0x20, 0, opI32Const, 1, 0x6b, 0x22, 0, 0x0d, 0, opEnd, 0x20, 0, opEnd)
	// endless: loop; br 0; end; i32.const 1
	endless = fn(opLoop, blockVoid, 0x0c, 0, opEnd, opI32Const, 1, opEnd)
	// nested: two loops, the inner with a result, and opcodes with every form of immediate
	nested = fn(opLoop, blockVoid, opLoop, 0x7f, 0x43, 0, 0, 0x80, 0x3f, 0x1a, 0x44, 0, 0, 0, 0, 0, 0, 0xf0, 0x3f, 0x1a,
		0x42, 0x80, 0x80, 4, 0x1a, opI32Const, 0, 0x28, 2, 8, opEnd, 0x1a, opEnd,
		0x02, blockVoid, 0x02, blockVoid, 0x20, 0, 0x0e, 1, 0, 1, opEnd, opEnd,
		opI32Const, 0, opI32Const, 0, opI32Const, 0, opPrefixFC, 11, 0, 0x3f, 0, opEnd)
)

// load runs a rewritten module; tick is what env.tick answers.
func load(t *testing.T, m Module, tick func(fuel api.MutableGlobal) uint64) api.Module {
	t.Helper()
	ctx := context.Background()
	rt := wazero.NewRuntime(ctx)
	t.Cleanup(func() {
		if err := rt.Close(ctx); err != nil {
			t.Error(err)
		}
	})
	call := api.GoModuleFunc(func(_ context.Context, mod api.Module, stack []uint64) {
		stack[0] = tick(mod.ExportedGlobal("fuel").(api.MutableGlobal))
	})
	_, err := rt.NewHostModuleBuilder("env").NewFunctionBuilder().
		WithGoModuleFunction(call, nil, []api.ValueType{api.ValueTypeI32}).Export("tick").Instantiate(ctx)
	if err != nil {
		t.Fatal(err)
	}
	mod, err := rt.Instantiate(ctx, m.Code)
	if err != nil {
		t.Fatalf("rewritten module is not valid: %v", err)
	}
	return mod
}

func mustRewrite(t *testing.T, data []byte) Module {
	t.Helper()
	m, err := Rewrite(data, testOptions)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestFuelIsCounted(t *testing.T) {
	t.Parallel()
	m := mustRewrite(t, module(countdown, nested))
	if m.Loops != 3 || m.Pages != 1 {
		t.Fatalf("got %d loops, %d pages; want 3, 1", m.Loops, m.Pages)
	}
	if len(m.Segments) != 1 || m.Segments[0].Offset != 8 || string(m.Segments[0].Data) != "abc" {
		t.Fatalf("got segments %+v", m.Segments)
	}
	ticks := 0
	mod := load(t, m, func(fuel api.MutableGlobal) uint64 { ticks++; fuel.Set(10); return 0 })
	out, err := mod.ExportedFunction("a").Call(context.Background(), 100)
	if err != nil || out[0] != 0 {
		t.Fatalf("countdown gave %v, %v; want 0", out, err)
	}
	// 100 rounds; the tick that refills counts for its own round, and 10 more follow it.
	if ticks != 10 {
		t.Errorf("got %d ticks, want 10", ticks)
	}
	if out, err := mod.ExportedFunction("b").Call(context.Background(), 3); err != nil || out[0] != 1 {
		t.Errorf("nested gave %v, %v; want 1", out, err)
	}
	if data, ok := mod.Memory().Read(8, 3); !ok || string(data) != "\x00\x00\x00" {
		t.Errorf("memory holds %q, want no data", data)
	}
}

func TestEndlessLoopEnds(t *testing.T) {
	t.Parallel()
	ticks := 0
	mod := load(t, mustRewrite(t, module(endless)), func(fuel api.MutableGlobal) uint64 {
		ticks++
		fuel.Set(1000)
		return uint64(ticks / 3)
	})
	if _, err := mod.ExportedFunction("a").Call(context.Background(), 0); err == nil {
		t.Fatal("endless loop returned")
	}
	if ticks != 3 {
		t.Errorf("got %d ticks, want 3", ticks)
	}
}

func TestMarkedFunction(t *testing.T) {
	t.Parallel()
	opt := testOptions
	opt.MarkFunction = "b"
	m, err := Rewrite(module(countdown, nested), opt)
	if err != nil {
		t.Fatal(err)
	}
	mod := load(t, m, func(fuel api.MutableGlobal) uint64 { fuel.Set(10); return 0 })
	mark := mod.ExportedGlobal("mark").(api.MutableGlobal)
	for i, name := range []string{"a", "b"} {
		if _, err := mod.ExportedFunction(name).Call(context.Background(), 2); err != nil {
			t.Fatal(err)
		}
		if got := mark.Get(); got != uint64(i) {
			t.Errorf("after a call of %s the mark is %d, want %d", name, got, i)
		}
	}
	opt.MarkFunction = "nobody"
	if _, err := Rewrite(module(countdown), opt); !errors.Is(err, ErrMalformed) {
		t.Errorf("got %v for a function that is not there, want ErrMalformed", err)
	}
}

func TestMalformed(t *testing.T) {
	t.Parallel()
	good := module(countdown)
	cases := map[string][]byte{
		"empty":             {},
		"not wasm":          []byte("hello world"),
		"header only":       header,
		"cut":               good[:len(good)-3],
		"unknown opcode":    module(fn(opLoop, blockVoid, 0xfd, 0, opEnd, opEnd)),
		"unknown behind fc": module(fn(opPrefixFC, 99, opEnd)),
		"imported memory":   append(append([]byte{}, header...), section(secImport, append(appendName(appendName(nil, "env"), "m"), 2, 0, 1))...),
		"no import":         append(append([]byte{}, header...), section(secMemory, []byte{0, 1})...),
		"two memories":      append(append([]byte{}, header...), section(secMemory, []byte{0, 1}, []byte{0, 1})...),
		"passive data":      append(good[:len(good)-10:len(good)-10], section(secData, append([]byte{1, 3}, "abc"...))...),
	}
	for name, data := range cases {
		if _, err := Rewrite(data, testOptions); !errors.Is(err, ErrMalformed) {
			t.Errorf("%s: got %v, want ErrMalformed", name, err)
		}
	}
}

func FuzzRewrite(f *testing.F) {
	f.Add(module(countdown, endless, nested))
	f.Add(header)
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := Rewrite(data, testOptions)
		if err == nil && len(m.Code) < len(header) {
			t.Errorf("module of %d bytes without an error", len(m.Code))
		}
		if err != nil && !errors.Is(err, ErrMalformed) {
			t.Errorf("error %v does not wrap ErrMalformed", err)
		}
	})
}
