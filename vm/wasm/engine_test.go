package wasm

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"codemode/vm/engine"
)

var engineOptions = Options{InterruptModule: "env", InterruptName: "host_interrupt", FuelExport: "fuel", MarkFunction: "JS_ThrowOutOfMemory", MarkExport: "mark"}

func engineModule(tb testing.TB) []byte {
	tb.Helper()
	code, err := engine.Module()
	if err != nil {
		tb.Fatal(err)
	}
	return code
}

// script evaluates a script in an engine and gives the text of its value.
type script func(code string) (string, error)

// startEngine runs the engine, as it comes or rewritten, with a host that grants nothing.
func startEngine(tb testing.TB, code []byte, segments []Segment) script {
	tb.Helper()
	ctx := context.Background()
	cache, err := wazero.NewCompilationCacheWithDir(filepath.Join(os.TempDir(), "codemode-test-cache"))
	if err != nil {
		tb.Fatal(err)
	}
	rt := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfigCompiler().WithCompilationCache(cache))
	tb.Cleanup(func() {
		if err := rt.Close(ctx); err != nil {
			tb.Error(err)
		}
		if err := cache.Close(ctx); err != nil {
			tb.Error(err)
		}
	})
	compiled, err := rt.CompileModule(ctx, code)
	if err != nil {
		tb.Fatal(err)
	}
	hosts := map[string]wazero.HostModuleBuilder{}
	for _, def := range compiled.ImportedFunctions() {
		module, name, _ := def.Import()
		if hosts[module] == nil {
			hosts[module] = rt.NewHostModuleBuilder(module)
		}
		results := len(def.ResultTypes())
		fn := api.GoModuleFunc(func(_ context.Context, mod api.Module, stack []uint64) {
			if g, ok := mod.ExportedGlobal("fuel").(api.MutableGlobal); ok && name == "host_interrupt" && g.Get() == 0 {
				g.Set(100_000)
			}
			if results > 0 {
				stack[0] = 0
			}
		})
		hosts[module].NewFunctionBuilder().WithGoModuleFunction(fn, def.ParamTypes(), def.ResultTypes()).Export(name)
	}
	for _, b := range hosts {
		if _, err := b.Instantiate(ctx); err != nil {
			tb.Fatal(err)
		}
	}
	mod, err := rt.InstantiateModule(ctx, compiled, wazero.NewModuleConfig().WithName("").WithStartFunctions())
	if err != nil {
		tb.Fatal(err)
	}
	for _, s := range segments {
		if !mod.Memory().Write(s.Offset, s.Data) {
			tb.Fatalf("segment at %d does not fit", s.Offset)
		}
	}
	call := func(name string, args ...uint64) uint64 {
		out, err := mod.ExportedFunction(name).Call(ctx, args...)
		if err != nil {
			tb.Fatalf("%s: %v", name, err)
		}
		if len(out) == 0 {
			return 0
		}
		return out[0]
	}
	call("_initialize")
	if status := call("qjs_init"); status != 0 {
		tb.Fatalf("qjs_init gave %d", status)
	}
	call("qjs_set_max_stack_size", 256<<10)
	cx := call("qjs_get_context_ptr")
	put := func(text string) uint64 {
		ptr := call("wasm_malloc", uint64(len(text)+1))
		mod.Memory().Write(uint32(ptr), append([]byte(text), 0))
		return ptr
	}
	options := put(string(make([]byte, 32)))
	mod.Memory().WriteUint32Le(uint32(options), 1)
	mod.Memory().WriteUint32Le(uint32(options)+8, uint32(put("script.js")))
	mod.Memory().WriteUint32Le(uint32(options)+12, 1)
	return func(code string) (string, error) {
		src := put(code)
		v := call("JS_Eval2", cx, src, uint64(len(code)), options)
		call("wasm_free", src)
		if int32(v>>32) == 6 {
			v = call("JS_GetException", cx)
		}
		ptr := call("JS_ToCStringLen2", cx, options+24, v, 0)
		n, ok := mod.Memory().ReadUint32Le(uint32(options) + 24)
		text, ok2 := mod.Memory().Read(uint32(ptr), n)
		if ptr == 0 || !ok || !ok2 {
			return "", fmt.Errorf("value %#x has no text", v)
		}
		out := string(text)
		call("JS_FreeCString", cx, ptr)
		call("JS_FreeValue", cx, v)
		return out, nil
	}
}

// syncScripts makes scripts of the language programs that wait for nothing and need no guest library.
func syncScripts(tb testing.TB) map[string]string {
	tb.Helper()
	files, err := filepath.Glob("../testdata/language/*.js")
	if err != nil {
		tb.Fatal(err)
	}
	out := map[string]string{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			tb.Fatal(err)
		}
		code := string(data)
		if strings.Contains(code, "await") || strings.Contains(code, "structuredClone") {
			continue
		}
		out[filepath.Base(file)] = "try { String(JSON.stringify((function () { " + code + "\n})())) } catch (e) { e.name + ': ' + e.message }"
	}
	return out
}

// The rewritten engine computes what the engine computes as it comes.
func TestRewrittenEngineGivesTheSame(t *testing.T) {
	t.Parallel()
	raw := engineModule(t)
	m, err := Rewrite(raw, engineOptions)
	if err != nil {
		t.Fatal(err)
	}
	original, rewritten := startEngine(t, raw, nil), startEngine(t, m.Code, m.Segments)
	scripts := syncScripts(t)
	if len(scripts) < 150 {
		t.Errorf("only %d scripts", len(scripts))
	}
	for name, code := range heavyScripts {
		scripts[name] = code
	}
	for name, code := range scripts {
		want, err := original(code)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got, err := rewritten(code); err != nil || got != want {
			t.Errorf("%s: rewritten gives %.200s, %v; the original %.200s", name, got, err, want)
		}
	}
}

// heavyScripts spend their time in loops, where the check costs most.
var heavyScripts = map[string]string{
	"count":    "let n = 0; for (let i = 0; i < 3e5; i++) n = (n * 31 + i) | 0; String(n)",
	"sieve":    "(() => { const s = new Uint8Array(2e5); let c = 0; for (let i = 2; i < s.length; i++) if (!s[i]) { c++; for (let j = i * 2; j < s.length; j += i) s[j] = 1; } return String(c); })()",
	"strings":  "(() => { let s = ''; for (let i = 0; i < 2e4; i++) s += i; return String(s.split('7').join('').length); })()",
	"sort":     "(() => { const a = Array.from({ length: 2e4 }, (_, i) => (i * 7919) % 20011); return a.sort((x, y) => x - y).slice(0, 5).join(); })()",
	"regexp":   "(() => { let n = 0; const r = /(\\w+)@(\\w+)\\.com/g; while (r.exec('x'.repeat(200) + ' ann@site.com '.repeat(300))) n++; return String(n); })()",
	"json":     "JSON.stringify(JSON.parse(JSON.stringify(Array.from({ length: 3000 }, (_, i) => ({ i, s: 'v' + i }))))).length.toString()",
	"bigint":   "(3n ** 4000n).toString().slice(0, 20)",
	"closures": "(() => { let t = 0; for (let i = 0; i < 5e4; i++) t += ((x) => x + 1)(i); return String(t); })()",
}

// What BenchmarkEngine reports as ns/op for "rewritten" over that for "original" is what the checks cost.
func BenchmarkEngine(b *testing.B) {
	raw := engineModule(b)
	m, err := Rewrite(raw, engineOptions)
	if err != nil {
		b.Fatal(err)
	}
	for _, e := range []struct {
		name     string
		code     []byte
		segments []Segment
	}{{"original", raw, nil}, {"rewritten", m.Code, m.Segments}} {
		run := startEngine(b, e.code, e.segments)
		for name, code := range heavyScripts {
			b.Run(name+"/"+e.name, func(b *testing.B) {
				for b.Loop() {
					if _, err := run("{ " + code + " }"); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// An instance is made clean by writing its memory, its stack pointer and the two added globals. That is
// all only if the engine has no other mutable global, and no code that writes a table or drops a segment.
func TestNothingElseOfTheEngineCanChange(t *testing.T) {
	t.Parallel()
	m, err := Rewrite(engineModule(t), engineOptions)
	if err != nil {
		t.Fatal(err)
	}
	exported := map[uint32]string{}
	var mutable []uint32
	sections := &reader{data: m.Code[len(header):]}
	for sections.more() {
		id := sections.byte()
		r := &reader{data: sections.bytes(int(sections.uint()))}
		switch id {
		case secGlobal:
			for i := range r.uint() {
				if r.byte(); r.byte() == 1 {
					mutable = append(mutable, i)
				}
				for op, _ := r.step(); op != opEnd && r.err == nil; op, _ = r.step() {
				}
			}
		case secExport:
			for range r.uint() {
				name, kind, index := r.name(), r.byte(), r.uint()
				if kind == 3 {
					exported[index] = name
				}
			}
		case secCode:
			checkCode(t, r)
		}
		if r.err != nil {
			t.Fatalf("section %d: %v", id, r.err)
		}
	}
	var names []string
	for _, index := range mutable {
		names = append(names, exported[index])
	}
	if got := strings.Join(names, " "); got != "__stack_pointer fuel mark" {
		t.Errorf("mutable globals %q, want those that a reset writes", got)
	}
}

// checkCode fails the test for an instruction that changes what a reset does not put back.
func checkCode(t *testing.T, r *reader) {
	t.Helper()
	refused := map[uint32]string{8: "memory.init", 9: "data.drop", 12: "table.init", 13: "elem.drop", 14: "table.copy", 15: "table.grow", 17: "table.fill"}
	for range r.uint() {
		body := &reader{data: r.bytes(int(r.uint()))}
		for range body.uint() {
			body.skip(2)
		}
		for body.more() {
			op, sub := body.step()
			if op == 0x26 {
				t.Error("the engine uses table.set")
			}
			if op == opPrefixFC {
				if name := refused[sub]; name != "" {
					t.Errorf("the engine uses %s", name)
				}
			}
		}
		if body.err != nil {
			r.err = body.err
			return
		}
	}
}
