package conformance

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
)

// pattern is a regular expression of a case: ECMAScript with the u flag in the
// file, RE2 in here, so that no text of a worker can make matching slow.
type pattern struct {
	source string
	re     *regexp.Regexp
}

func (p pattern) matches(text string) bool { return p.re.MatchString(text) }

// errNoRE2 is returned for what RE2 cannot express: looking around and back-references.
var errNoRE2 = errors.New("not expressible in RE2")

// What \s and \S mean in ECMAScript, as the inside of a class.
const (
	jsSpace    = `\x09-\x0d\x20\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}`
	jsNotSpace = `\x00-\x08\x0e-\x1f\x21-\x{9f}\x{a1}-\x{167f}\x{1681}-\x{1fff}\x{200b}-\x{2027}\x{202a}-\x{202e}` +
		`\x{2030}-\x{205e}\x{2060}-\x{2fff}\x{3001}-\x{fefe}\x{ff00}-\x{10ffff}`
)

func compilePattern(source string) (pattern, error) {
	text, err := translatePattern(source)
	if err != nil {
		return pattern{}, fmt.Errorf("pattern /%s/: %w", source, err)
	}
	re, err := regexp.Compile(text)
	if err != nil {
		return pattern{}, fmt.Errorf("pattern /%s/: %w", source, err)
	}
	return pattern{source, re}, nil
}

// translatePattern rewrites what the two dialects read differently and refuses
// what the u flag refuses.
func translatePattern(source string) (string, error) {
	t := translator{rest: source}
	for t.rest != "" {
		if err := t.next(); err != nil {
			return "", err
		}
	}
	return t.out.String(), nil
}

type translator struct {
	rest string
	out  strings.Builder
}

var quantifier = regexp.MustCompile(`^\{[0-9]+(,[0-9]*)?\}`)

// takeIf consumes a prefix if it is next.
func (t *translator) takeIf(prefix string) bool {
	rest, ok := strings.CutPrefix(t.rest, prefix)
	t.rest = rest
	return ok
}

// keep copies n bytes as they are.
func (t *translator) keep(n int) {
	t.out.WriteString(t.rest[:n])
	t.rest = t.rest[n:]
}

func (t *translator) next() error {
	switch t.rest[0] {
	case '\\':
		return t.escape(false)
	case '[':
		return t.class()
	case '(':
		return t.group()
	case '.':
		t.rest = t.rest[1:]
		t.out.WriteString(`[^\n\r\x{2028}\x{2029}]`)
	case '^':
		t.rest = t.rest[1:]
		t.out.WriteString(`\A`)
	case '$':
		t.rest = t.rest[1:]
		t.out.WriteString(`\z`)
	case '{':
		q := quantifier.FindString(t.rest)
		if q == "" {
			return errors.New("lone {")
		}
		t.keep(len(q))
	case ']', '}':
		return fmt.Errorf("lone %c", t.rest[0])
	default:
		t.keep(1)
	}
	return nil
}

var namedGroup = regexp.MustCompile(`^\(\?<[A-Za-z_][A-Za-z0-9_]*>`)

func (t *translator) group() error {
	if !strings.HasPrefix(t.rest, "(?") {
		t.keep(1)
		return nil
	}
	for _, around := range []string{"(?=", "(?!", "(?<=", "(?<!"} {
		if strings.HasPrefix(t.rest, around) {
			return fmt.Errorf("%s…): looking around is %w", around, errNoRE2)
		}
	}
	if strings.HasPrefix(t.rest, "(?:") {
		t.keep(3)
		return nil
	}
	if name := namedGroup.FindString(t.rest); name != "" {
		t.keep(len(name))
		return nil
	}
	return errors.New("unknown kind of group")
}

func (t *translator) class() error {
	t.rest = t.rest[1:]
	switch {
	case t.takeIf("^]"):
		t.out.WriteString(`[\x00-\x{10ffff}]`)
		return nil
	case t.takeIf("]"):
		t.out.WriteString(`[^\x00-\x{10ffff}]`)
		return nil
	case t.takeIf("^"):
		t.out.WriteString("[^")
	default:
		t.out.WriteString("[")
	}
	for t.rest != "" {
		switch t.rest[0] {
		case ']':
			t.keep(1)
			return nil
		case '\\':
			if err := t.escape(true); err != nil {
				return err
			}
		case '[', '^':
			t.out.WriteByte('\\')
			t.keep(1)
		default:
			t.keep(1)
		}
	}
	return errors.New("class without end")
}

// escape translates the escape that is next, outside a class or inside one.
func (t *translator) escape(inClass bool) error {
	if len(t.rest) < 2 {
		return errors.New(`\ at the end`)
	}
	c := t.rest[1]
	switch {
	case strings.IndexByte("dDwWtnrfv", c) >= 0, !inClass && (c == 'b' || c == 'B'),
		strings.IndexByte(`^$\.*+?()[]{}|/`, c) >= 0, inClass && c == '-':
		t.keep(2)
	case c == 's' || c == 'S':
		t.rest = t.rest[2:]
		t.space(c == 'S', inClass)
	case inClass && c == 'b':
		t.rest = t.rest[2:]
		t.out.WriteString(`\x08`)
	case c == 'p' || c == 'P':
		return t.property()
	case c == 'k' || c >= '1' && c <= '9':
		return fmt.Errorf("a back-reference is %w", errNoRE2)
	default:
		return t.code()
	}
	return nil
}

func (t *translator) space(not, inClass bool) {
	set := jsSpace
	if not {
		set = jsNotSpace
	}
	if !inClass {
		set = "[" + set + "]"
	}
	t.out.WriteString(set)
}

var propertyEscape = regexp.MustCompile(`^\\([pP])\{(?:(?:Script|sc)=)?([A-Za-z_]+)\}`)

// property translates the general categories in their short form and scripts.
func (t *translator) property() error {
	m := propertyEscape.FindStringSubmatch(t.rest)
	if m == nil {
		return errors.New("unreadable property")
	}
	known := unicode.Categories[m[2]] != nil
	if strings.Contains(m[0], "=") {
		known = unicode.Scripts[m[2]] != nil
	}
	if !known {
		return fmt.Errorf("property %s is %w", m[0], errNoRE2)
	}
	t.rest = t.rest[len(m[0]):]
	t.out.WriteString(`\` + m[1] + `{` + m[2] + `}`)
	return nil
}

var (
	codePoint   = regexp.MustCompile(`^\\(?:x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|u\{([0-9A-Fa-f]{1,8})\})`)
	controlCode = regexp.MustCompile(`^\\c([A-Za-z])`)
	nulCode     = regexp.MustCompile(`^\\0($|[^0-9])`)
)

// code translates an escape that names one code point.
func (t *translator) code() error {
	if m := controlCode.FindStringSubmatch(t.rest); m != nil {
		t.rest = t.rest[len(m[0]):]
		t.point(rune(m[1][0] % 32))
		return nil
	}
	if nulCode.MatchString(t.rest) {
		t.rest = t.rest[2:]
		t.point(0)
		return nil
	}
	r, n := readPoint(t.rest)
	if n == 0 {
		return fmt.Errorf("unknown escape %s", clip(t.rest, 2))
	}
	t.rest = t.rest[n:]
	if utf16.IsSurrogate(r) {
		low, n := readPoint(t.rest)
		if r = utf16.DecodeRune(r, low); r == unicode.ReplacementChar || !strings.HasPrefix(t.rest, `\u`) {
			return fmt.Errorf("a lone surrogate is %w", errNoRE2)
		}
		t.rest = t.rest[n:]
	}
	if r > unicode.MaxRune {
		return errors.New("code point out of range")
	}
	t.point(r)
	return nil
}

func (t *translator) point(r rune) { fmt.Fprintf(&t.out, `\x{%x}`, r) }

// readPoint reads \xHH, \uHHHH or \u{H…}; n is 0 where there is none.
func readPoint(s string) (r rune, n int) {
	m := codePoint.FindStringSubmatch(s)
	if m == nil {
		return 0, 0
	}
	v, err := strconv.ParseUint(m[1]+m[2]+m[3], 16, 31)
	if err != nil {
		return 0, 0
	}
	return rune(v), len(m[0])
}
