package conformance

import (
	"errors"
	"strings"
	"testing"
)

// The third column is what the ECMAScript engine says of the pattern with the u flag.
func TestPatternsMatchAsInECMAScript(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		source, text string
		want         bool
	}{
		{`^a.c$`, "abc", true}, {`^a.c$`, "a\nc", false}, {`^a.c$`, "a\rc", false}, {`^a.c$`, "a\u2028c", false}, {`^a.c$`, "a😀c", true},
		{`b$`, "b\n", false}, {`^b`, "a\nb", false},
		{`^\s$`, "\v", true}, {`^\s$`, "\u00a0", true}, {`^\s$`, "\ufeff", true}, {`^\s$`, "\u200b", false}, {`^\s$`, "\u3000", true},
		{`^\S$`, "\u00a0", false}, {`^\S$`, "x", true}, {`^\S$`, "\u0085", true},
		{`^[\s\S]$`, "\n", true}, {`^[^\s]$`, "\u00a0", false}, {`^[^\S]$`, "\u00a0", true}, {`^[\S]$`, "\ufeff", false}, {`^[\S]$`, "\ufefe", true},
		{`^\d$`, "٣", false}, {`^\w+$`, "aZ_9", true}, {`^\w$`, "é", false}, {`^\D$`, "a", true}, {`^\W$`, "é", true},
		{`\bfoo\b`, "a foo b", true}, {`\Boo`, "foo", true},
		{`^[^]$`, "\n", true}, {`[]`, "a", false}, {`^[]?$`, "", true},
		{`^[[^a]$`, "[", true}, {`^[[^a]$`, "^", true}, {`^[[:a]$`, ":", true}, {`^[^^]$`, "^", false}, {`^[a\-c]$`, "b", false}, {`^[a\-c]$`, "-", true},
		{`^[\]\\]$`, "]", true}, {`^[\b]$`, "\b", true}, {`^[\n]$`, "\n", true},
		{`^\u{1f600}\ud83d\ude00$`, "😀😀", true}, {`^\x41\u0042\cJ\0$`, "AB\n\x00", true},
		{`^\/\{\}$`, "/{}", true}, {`^a\|b$`, "a|b", true},
		{`^a{2,3}$`, "aaa", true}, {`^a{2,}?$`, "aaaa", true}, {`^a{600}$`, strings.Repeat("a", 600), true}, {`^a{600}$`, strings.Repeat("a", 599), false},
		{`^(?:a|b)+(?<n>c)(d)$`, "abcd", true}, {`^\p{Lu}\P{Lu}\p{Script=Greek}$`, "Aaα", true},
		{`^\t\n\r\f\v$`, "\t\n\r\f\v", true}, {`é`, "café", true},
	} {
		p, err := compilePattern(c.source)
		if err != nil {
			t.Errorf("%v", err)
			continue
		}
		if got := p.matches(c.text); got != c.want {
			t.Errorf("/%s/ on %q: got %v", c.source, c.text, got)
		}
	}
}

func TestPatternsThatAreRefused(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		source string
		noRE2  bool // right in ECMAScript
	}{
		{`(?=a)`, true}, {`(?!a)`, true}, {`(?<=a)b`, true}, {`(?<!a)b`, true}, {`(a)\1`, true}, {`(?<n>a)\k<n>`, true}, {`\ud800`, true}, {`\p{Alphabetic}`, true},
		{`a{`, false}, {`a}`, false}, {`a]`, false}, {`[a`, false}, {`(a`, false}, {`a)`, false}, {`\`, false}, {`[\`, false}, {`\Q`, false}, {`\A`, false}, {`\z`, false},
		{`\-`, false}, {`\u12`, false}, {`\u{110000}`, false}, {`\u{ffffffff}`, false}, {`\ud83d\u0041`, true}, {`\00`, false}, {`(?i)a`, false}, {`(?P<n>a)`, false}, {`a**`, false}, {`[b-a]`, false}, {`\p{`, false},
	} {
		_, err := compilePattern(c.source)
		if err == nil || errors.Is(err, errNoRE2) != c.noRE2 {
			t.Errorf("/%s/: got %v", c.source, err)
		}
	}
}

func FuzzCompilePattern(f *testing.F) {
	for _, s := range []string{`^a.c$`, `[^\]\s\S]{2,3}?`, `\ud83d\ude00\u{41}\x41\cA\0`, `(?<n>a|b)*\p{Lu}`, `[[:a]`, `\`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, source string) {
		if p, err := compilePattern(source); err == nil {
			p.matches(source)
		}
	})
}
