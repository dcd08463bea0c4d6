package source

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"
)

// hostileLimit is far above what any of the texts takes, and far below what one of them takes if the work grows with the square of its size.
const hostileLimit = 20 * time.Second

// repeated makes a text of n bytes from numbered pieces.
func repeated(n int, piece func(i int) string) string {
	var b strings.Builder
	for i := 0; b.Len() < n; i++ {
		b.WriteString(piece(i))
	}
	return b.String()
}

func nested(n int, open, inside, closing string) string {
	return strings.Repeat(open, n) + inside + strings.Repeat(closing, n)
}

func hostileTexts() map[string]string {
	const mega = 256 << 10
	texts := map[string]string{
		"nested patterns":     "let " + nested(mega/2, "[", "a", "]") + " = 1",
		"nested templates":    nested(mega/4, "`${", "1", "}`"),
		"nested arrows":       nested(mega/4, "a=>", "1", ""),
		"nested blocks":       nested(mega/2, "{", "", "}"),
		"nested functions":    nested(mega/16, "function f(){", "", "}"),
		"nested types":        "let x: " + nested(mega/4, "A<", "B", ">"),
		"open and wrong":      strings.Repeat("(", mega/2) + strings.Repeat("}", mega/2),
		"members":             "a" + strings.Repeat(".a", mega/2),
		"calls":               "a" + strings.Repeat("()", mega/2),
		"else":                nested(mega/16, "if(1);else ", "1", ""),
		"names in blocks":     nested(300, "{", repeated(mega/2, func(i int) string { return fmt.Sprintf("a%d;", i) }), "}"),
		"names in parens":     nested(300, "(", repeated(mega/2, func(i int) string { return fmt.Sprintf("a%d,", i) })+"1", ")"),
		"arrows after names":  repeated(mega/2, func(i int) string { return fmt.Sprintf("a%d;", i) }) + repeated(mega/2, func(i int) string { return fmt.Sprintf("b%d=>1;", i) }),
		"uses of one name":    "let require," + repeated(mega/2, func(i int) string { return fmt.Sprintf("a%d,", i) }) + "b;" + strings.Repeat("require;", mega/16),
		"lets":                "foo bar\n" + strings.Repeat("let a = [", mega/10),
		"functions":           "foo bar\n" + strings.Repeat("function(", mega/10),
		"long first line":     "foo " + strings.Repeat("-x 'y' ", mega/8),
		"long first quotes":   "foo " + strings.Repeat(`"\`, mega/2),
		"comments first":      strings.Repeat("/**/", mega/4),
		"open comments first": strings.Repeat("/*/", mega/3),
		"return name":         repeated(mega/16, func(i int) string { return fmt.Sprintf("cellReturn%d_;", i) }) + "import(",
	}
	for _, token := range []string{
		"(", ")", "{", "}", "[", "]", "`", "'", "\"", "/", "\\", "a", "1", " ", "\n", ";", ",", ".", "#", "$", "${", "`${", "=>", "a=>", "?.", "!", "-", "+", "\x00", "\xff",
		"\u2028", "😀", "\\u0061", "\\u{", "\\ud800", "import ", "require", "let\n", "/*", "//", "<!--", "async ", "await ", "class{", "function(", "if(", "?", ":", "a:", "@", "'a'\n", "/a/;", "(a);",
		"pwd|", "a b|", "\"", "a=b ",
	} {
		texts["one token "+token] = strings.Repeat(token, 1<<20/len(token))
	}
	return texts
}

// TestHostileText would end the process or take hours without the bounds.
func TestHostileText(t *testing.T) {
	t.Parallel()
	for name, code := range hostileTexts() {
		prepareInTime(t, name, code, JavaScript)
		prepareInTime(t, name, code[:min(len(code), MaxTypeScriptBytes/8)], TypeScript)
	}
}

func prepareInTime(t *testing.T, name, code string, lang Language) {
	t.Helper()
	begun := time.Now()
	got, err := Prepare(context.Background(), code, lang, guest)
	if err != nil {
		kindOf(t, err)
	} else if lang == JavaScript && got.Code != strings.ToValidUTF8(code, "\uFFFD") {
		t.Errorf("%s: the text was changed", name)
	}
	if took := time.Since(begun); took > hostileLimit {
		t.Errorf("%s took %v as %s", name, took, lang)
	} else if took > 500*time.Millisecond {
		t.Logf("%s took %v as %s", name, took, lang)
	}
}

func FuzzPrepare(f *testing.F) {
	for _, code := range []string{
		"return 1 + 1", "ls -la", "import('x')", "const a: number = `${require('x')}`", "class A { #x = /[/]}/v; static { await } }", "}); (", "namespace N { export const q = 1 }\nreturn await N.q",
		"a => b", "@d class A { accessor x = 1 }", "'\\ud800", "re\\u0071uire(1)", "NODE_ENV=test npm test", "for (let require of x) {}", "({a, b: {c = 3}, ...d} = e)",
	} {
		f.Add(code)
	}
	f.Fuzz(func(t *testing.T, code string) {
		if len(code) > 8<<10 {
			return
		}
		for _, lang := range []Language{JavaScript, TypeScript} {
			watch := time.AfterFunc(5*time.Second, func() { panic(fmt.Sprintf("%s does not end: %q", lang, code)) })
			got, err := Prepare(context.Background(), code, lang, guest)
			watch.Stop()
			if err != nil {
				kindOf(t, err)
				continue
			}
			if got.Parsed && got.Breakout {
				t.Fatalf("%s parses and breaks out", lang)
			}
			if got.Lines != nil {
				data, _ := got.Lines.MarshalBinary()
				if _, err := UnmarshalLineMap(data); err != nil {
					t.Fatal(err)
				}
			}
		}
	})
}
