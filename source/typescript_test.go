package source

import (
	"strings"
	"testing"
)

// typescript prepares a cell that must be accepted.
func typescript(t *testing.T, code string) Prepared {
	t.Helper()
	got, err := prepare(t, code, TypeScript)
	if err != nil {
		t.Fatalf("%q: %v", code, err)
	}
	return got
}

func TestTypeScriptTransforms(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, code string
		has        []string
	}{
		{"empty", "", nil},
		{"annotations", "interface Row { id: number }\ntype M<T> = T | null;\nconst r: Row[] = [{ id: 1 }];\nreturn r[0]!.id as number", []string{"return r[0].id;"}},
		{"enum", "enum L { Low, High = 5 }\nreturn L.High", []string{`"Low"`, "return 5"}},
		{"parameter property", "class A { constructor(protected readonly tag: string, public n = 1) {} }\nreturn new A('x')", []string{"this.tag = tag", "this.n = n"}},
		{"satisfies", "const c = { m: 'f' } as const satisfies { m: string };\nreturn c", []string{`m: "f"`}},
		{"await", "const r: number = await f({ limit: 2 } as { limit: number });\nreturn r", []string{"await f({ limit: 2 })"}},
		{"namespace with return and await", "namespace N { export const q = 1 }\nif (await f()) return N.q;\nreturn", []string{"N2.q = 1", "return N.q;", "return;"}},
		{"exported types", "export interface A { a: number }\nconst a: A = { a: await f() };\nreturn a.a", []string{"return a.a;"}},
		{"decorator", "function d(v: any, c: any) {}\n@d class A { @d m() {} }\nreturn A", []string{"__decor", "return A;"}},
		{"generic call", "const f = <T,>(x: T): T => x;\nreturn f<string>('a')", []string{`return f("a");`}},
		{"declare", "declare const x: number; declare function g(): void; abstract class Q { abstract m(): void }\nreturn typeof x", []string{"return typeof x;"}},
		{"sloppy mode", "with (a) { b }\nreturn arguments", []string{"with (a)", "return arguments;"}},
		{"surrogates and astral text", "return ['\\ud800', '😀']", []string{`"\uD800"`, "😀"}},
		{"function names", "function f() { { const f = () => 1; return f.name } }\nreturn f()", []string{`__name(() => 1, "f")`}},
		{"type errors are not reported", "const n: number = 'text' as any;\nlet q: Unknown = n;\nreturn q", []string{"return q;"}},
		{"last line is a comment", "return 1 // x", []string{"return 1;"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := typescript(t, tt.code)
			for _, want := range tt.has {
				if !strings.Contains(got.Code, want) {
					t.Errorf("no %q in\n%s", want, got.Code)
				}
			}
			if !got.Parsed || got.Breakout || got.Lines == nil || strings.Contains(got.Code, "async function() {") {
				t.Errorf("got %+v", got)
			}
		})
	}
}

func TestTypeScriptKeepsDirectivesFirst(t *testing.T) {
	t.Parallel()
	got := typescript(t, "'use strict'\nusing x: any = f();\nthrow new Error('x')")
	if !strings.HasPrefix(strings.TrimSpace(got.Code), `"use strict";`) || !strings.Contains(got.Code, "__using") {
		t.Errorf("got\n%s", got.Code)
	}
	wantLine(t, got, "throw new Error", 3)
}

func TestTypeScriptFailures(t *testing.T) {
	t.Parallel()
	for _, code := range []string{
		"const x: = 5;\nreturn x;", "function f(a: number) {\n  return a;", "type X = ;", "let y y;", "<div>a</div>", "return (", "`abc", "/* abc", "'abc",
		"namespace N { let = }", "let a = 1; let a = 2;", strings.Repeat("(", 300) + strings.Repeat(")", 300), "return " + strings.Repeat("!", 5000) + "1",
		strings.Repeat("let a;", 100), strings.Repeat("/*!*/", 100), "return '" + strings.Repeat("x", MaxTypeScriptBytes) + "'", "f(a" + strings.Repeat(",a", 4000) + ")",
	} {
		_, err := prepare(t, code, TypeScript)
		if kindOf(t, err) != Transform || !strings.HasPrefix(err.Error(), "typescript transform failed: ") || len(err.Error()) < 35 {
			t.Errorf("%.40q: %v", code, err)
		}
	}
}

func TestTypeScriptDiagnosticsAreJoinedByNewlines(t *testing.T) {
	t.Parallel()
	_, err := prepare(t, "let a = 1;\nlet a = 2;\nbreak;", TypeScript)
	want := "typescript transform failed: The symbol \"a\" has already been declared (cell.ts:2:5)\nCannot use \"break\" here: (cell.ts:3:1)"
	if err == nil || err.Error() != want {
		t.Errorf("got %v", err)
	}
	_, err = prepare(t, "function f() {\n  return 1", TypeScript)
	if err == nil || !strings.Contains(err.Error(), "(cell.ts:2:") {
		t.Errorf("the end of the text is not on its last line: %v", err)
	}
}

// TestTypeScriptOrdinaryTextFits keeps the bounds of the transform away from programs.
func TestTypeScriptOrdinaryTextFits(t *testing.T) {
	t.Parallel()
	unit := "const n%: number = items.filter((x) => x.a > 1).map((x) => x.b)[0] ?? 7\nif (n% > 3) {\n  text(`v ${n%}`)\n} else {\n  text('no')\n}\n"
	code := strings.Repeat("{\n"+strings.ReplaceAll(unit, "%", "1")+"}\n", 700) + "const big = [" + strings.Repeat("{ a: 1, b: 'x' },\n", 1500) + "]\nreturn big"
	if got := typescript(t, code); !got.Parsed {
		t.Error("not parsed")
	}
}

// wantLine checks that the first occurrence of text in the code leads to line.
func wantLine(t *testing.T, p Prepared, text string, line int) {
	t.Helper()
	at := strings.Index(p.Code, text)
	if at < 0 {
		t.Errorf("no %q in\n%s", text, p.Code)
		return
	}
	before := p.Code[:at]
	got, _, ok := p.Lines.Original(strings.Count(before, "\n")+1, at-strings.LastIndexByte(before, '\n'))
	if !ok || got != line {
		t.Errorf("%q is said to be on line %d (%v), want %d", text, got, ok, line)
	}
}

func TestTypeScriptLines(t *testing.T) {
	t.Parallel()
	p := typescript(t, "interface A {\n  a: number;\n}\ntype B = {\n  b: string;\n};\n\nconst value = null as unknown as A;\nreturn value.a;")
	wantLine(t, p, "const value", 8)
	wantLine(t, p, "value.a", 9)
	p = typescript(t, "const a = foo\n  .bar()\n  .baz(1,\n    two());\nfunction f(x: number) {\n  throw new Error(String(x));\n}\nreturn f(1)")
	wantLine(t, p, "bar()", 2)
	wantLine(t, p, "baz(", 3)
	wantLine(t, p, "two()", 4)
	wantLine(t, p, "throw new", 6)
	wantLine(t, p, "return f", 8)
	p = typescript(t, "function d(v: any, c: any) {}\n\n@d class A {\n  m() {\n    throw new Error('x')\n  }\n}\nreturn A")
	wantLine(t, p, "throw new", 5)
	wantLine(t, p, "return A", 8)
	if _, _, ok := p.Lines.Original(1, 1); ok {
		t.Error("a helper has a place in the submitted text")
	}
	p = typescript(t, "namespace N {\n  export type T = 1;\n  export const q = boom();\n}\nreturn await N.q")
	wantLine(t, p, "boom()", 3)
	wantLine(t, p, "return await", 5)
}

func TestTypeScriptColumns(t *testing.T) {
	t.Parallel()
	p := typescript(t, "const a: number = 1, b = boom()\nreturn a")
	at := strings.Index(p.Code, "boom")
	line, column, ok := p.Lines.Original(1, at+1)
	if !ok || line != 1 || column != 26 {
		t.Errorf("got %d:%d %v", line, column, ok)
	}
}

func TestTypeScriptConcurrent(t *testing.T) {
	t.Parallel()
	for range 8 {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			if got := typescript(t, "const x: number = 1; return x"); !strings.Contains(got.Code, "return x;") {
				t.Errorf("got %q", got.Code)
			}
		})
	}
}
