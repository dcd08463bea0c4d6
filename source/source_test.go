package source

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// guest stands for the globals of a guest.
func guest(name string) bool {
	switch name {
	case "Infinity", "NaN", "undefined", "eval", "Array", "Object", "JSON", "console", "tools", "text", "globalThis", "Math":
		return true
	}
	return false
}

func prepare(t *testing.T, code string, lang Language) (Prepared, error) {
	t.Helper()
	return Prepare(context.Background(), code, lang, guest)
}

// kindOf gives the kind of a refusal, 0 for none.
func kindOf(t *testing.T, err error) Kind {
	t.Helper()
	if err == nil {
		return 0
	}
	var e *Error
	if !errors.As(err, &e) {
		t.Fatalf("not a refusal: %v", err)
	}
	return e.Kind
}

func TestPrepareKeepsJavaScript(t *testing.T) {
	t.Parallel()
	for _, code := range []string{"", "return 1 + 1", "// c\nreturn await tools.x({a: 1});", "true;", "x = '\\ud800'; return x"} {
		got, err := prepare(t, code, JavaScript)
		if err != nil || got.Code != code || got.Lines != nil || !got.Parsed || got.Breakout {
			t.Errorf("%q: %+v, %v", code, got, err)
		}
	}
}

func TestPrepareReplacesInvalidUTF8(t *testing.T) {
	t.Parallel()
	got, err := prepare(t, "return 'a\xff\xfeb'", JavaScript)
	if err != nil || got.Code != "return 'a\uFFFDb'" || !got.Parsed {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestPrepareUnknownLanguage(t *testing.T) {
	t.Parallel()
	if _, err := prepare(t, "1", "python"); err == nil || errors.As(err, new(*Error)) {
		t.Errorf("got %v", err)
	}
}

func TestPrepareCanceled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, lang := range []Language{JavaScript, TypeScript} {
		if _, err := Prepare(ctx, "return 1", lang, nil); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", lang, err)
		}
	}
}

// TestTransformWaitsNoLongerThanContext fills the slots, so that the transform cannot begin.
func TestTransformWaitsNoLongerThanContext(t *testing.T) {
	for range cap(transformSlots) {
		transformSlots <- struct{}{}
	}
	defer func() {
		for range cap(transformSlots) {
			<-transformSlots
		}
	}()
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	if _, err := Prepare(ctx, "return 1", TypeScript, nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}

func TestMessages(t *testing.T) {
	t.Parallel()
	_, err := prepare(t, "ls -la", JavaScript)
	if want := `code mode exec runs JavaScript or TypeScript, not shell commands. Write a program that calls a tool, for example: return await tools.callValue("exact-tool-id", {});`; err == nil || err.Error() != want {
		t.Errorf("shell: %v", err)
	}
	_, err = prepare(t, "return require('fs')", JavaScript)
	if err == nil || err.Error() != "code mode module access is disabled." {
		t.Errorf("module: %v", err)
	}
	_, err = prepare(t, "const x: = 5;\nreturn x;", TypeScript)
	if want := `typescript transform failed: Unexpected "=" (cell.ts:1:10)`; err == nil || err.Error() != want {
		t.Errorf("typescript: %v", err)
	}
}

// TestOrder has cells that more than one check refuses (contract 4.3).
func TestOrder(t *testing.T) {
	t.Parallel()
	tests := []struct {
		code string
		lang Language
		want Kind
	}{
		{"git status\nreturn require('fs')", JavaScript, ShellSource},
		{"pwd; return import('x')", JavaScript, ShellSource},
		{"git status\nconst x: = 5", TypeScript, ShellSource},
		{"const fs = require('fs');\nconst x: = 5", TypeScript, ModuleAccess},
		{"import fs from 'fs';\nconst x: = 5", TypeScript, ModuleAccess},
		{"let a = 1; let a = 2; return require('x')", TypeScript, ModuleAccess},
	}
	for _, tt := range tests {
		_, err := prepare(t, tt.code, tt.lang)
		if got := kindOf(t, err); got != tt.want {
			t.Errorf("%q: %v, want %v", tt.code, got, tt.want)
		}
	}
}

func TestBreakout(t *testing.T) {
	t.Parallel()
	for _, code := range []string{
		"}); evil(); (async function(){",
		"return 1 })(); evil(); (async () => {",
		"} evil(); {",
		"const s = `${1}`; } evil(); async function x() {",
		"/[}]/.test(s) } evil(); {",
	} {
		got, err := prepare(t, code, JavaScript)
		if err != nil || got.Parsed || !got.Breakout {
			t.Errorf("javascript %q: %+v, %v", code, got, err)
		}
		_, err = prepare(t, code, TypeScript)
		if kindOf(t, err) != Transform {
			t.Errorf("typescript %q: %v", code, err)
		}
	}
	for _, code := range []string{"const x = {a: 1}; return x", "let s = '}', r = /}/, u = `}`; // }\n/* } */ return", "return `${`${{}}`}`"} {
		got, err := prepare(t, code, JavaScript)
		if err != nil || !got.Parsed || got.Breakout {
			t.Errorf("%q: %+v, %v", code, got, err)
		}
	}
}

// TestEngineDecides has valid text that the tree parser refuses, or that is broken without closing anything: it goes to the engine.
func TestEngineDecides(t *testing.T) {
	t.Parallel()
	for _, code := range []string{
		"return 010", "using x = f(); return x", "const x: number = 1;\nreturn x;", "return (", "let a = ;", "'abc", "`abc", "f(/abc", "/* abc",
		"return " + strings.Repeat("(", 2000) + "1" + strings.Repeat(")", 2000), "return " + strings.Repeat("1+", 3000) + "1",
		"x\x00y", "const a = /[/]}/v; return 010 / 2 / 3",
	} {
		got, err := prepare(t, code, JavaScript)
		if err != nil || got.Breakout || got.Code != code {
			t.Errorf("%.60q: %+v, %v", code, got, err)
		}
	}
}

func TestModernSyntaxParses(t *testing.T) {
	t.Parallel()
	for _, code := range []string{
		"class A { static { this.x = 1 } #v = 1; has(o) { return #v in o } get v() { return this.#v } static async *g() {} }",
		"return u?.a?.[0]?.() ?? 1_000n", "a: for (;;) { break a }", "for await (const x of y()) z(x)", "let d; d ??= 1; d ||= 2; d &&= 3",
		"async function* g() { yield* h(); await null }", "return /(?<y>\\d)/dgu.exec(s)", "const { a, b: { c = 3, ...r }, ...o } = x; const [p, , q = 9, ...zs] = y",
		"try { f() } catch { g() } finally { h() }", "return new.target", "return `a${`b${c}`}`", "if (x) return; else await y",
		"switch (x) { case 1: { break } default: }", "return async x => await x", "label: { break label }", "return {get a() { return 1 }, set a(v) {}, async *[b]() {}}",
	} {
		got, err := prepare(t, code, JavaScript)
		if err != nil || !got.Parsed {
			t.Errorf("%q: %+v, %v", code, got, err)
		}
	}
}
