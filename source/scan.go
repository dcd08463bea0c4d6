package source

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// tokenKind classifies a token as far as the checks need it.
type tokenKind uint8

const (
	identToken    tokenKind = iota // names and keywords, escapes included
	privateToken                   // #name
	numberToken                    // also BigInt
	stringToken                    // quotes included
	templateToken                  // a piece of a template: `a`, `a${, }b${ or }c`
	regexpToken                    // flags included
	punctToken                     // one operator or bracket
	badToken                       // a character that starts nothing, or text that is not closed
)

// token is a piece of source text that is neither space nor comment.
type token struct {
	start, end int
	kind       tokenKind
	newline    bool // a line ends between the token before and this one
	block      bool // on { and }: a block or body, not an object; on ) : ends the head of if, while, for or with
}

func (t token) text(code string) string { return code[t.start:t.end] }

// is says whether t is the punctuator or unescaped keyword s.
func (t token) is(code, s string) bool {
	return (t.kind == punctToken || t.kind == identToken) && t.text(code) == s
}

// name gives the name of an identifier with its unicode escapes resolved.
func (t token) name(code string) string { return identName(t.text(code)) }

// scanner cuts JavaScript (and, well enough, TypeScript) text into tokens without parsing it. Whether a slash divides or starts a regular expression is
// decided by the token before it and by what the brackets around it are, which is right for nearly all valid text. It works on any text and in linear time.
type scanner struct {
	code     string
	pos      int
	tokens   []token
	open     []bracket
	opened   [128]int // how many of each kind of bracket are open
	newline  bool
	breakout bool
}

type bracket struct {
	char  byte // ( [ { or $ for the brace of a template
	block bool // of {: a block; of (: the head of a control statement
}

// scan gives the tokens of code and whether somewhere more brackets are closed than were opened before.
func scan(code string) ([]token, bool) {
	s := &scanner{code: code, tokens: make([]token, 0, len(code)/4+8), newline: true}
	for s.skipSpace(); s.pos < len(s.code); s.skipSpace() {
		s.next()
	}
	return s.tokens, s.breakout
}

func (s *scanner) emit(kind tokenKind, end int, block bool) {
	s.tokens = append(s.tokens, token{start: s.pos, end: end, kind: kind, newline: s.newline, block: block})
	s.pos, s.newline = end, false
}

func (s *scanner) skipSpace() {
	for s.pos < len(s.code) {
		c := s.code[s.pos]
		rest := s.code[s.pos:]
		switch {
		case c == '\n' || c == '\r':
			s.newline = true
			s.pos++
		case c == ' ' || c == '\t' || c == '\v' || c == '\f':
			s.pos++
		case strings.HasPrefix(rest, "//"), strings.HasPrefix(rest, "<!--"), s.newline && strings.HasPrefix(rest, "-->"):
			s.pos += lineLength(rest)
		case strings.HasPrefix(rest, "/*"):
			n := strings.Index(rest[2:], "*/")
			if n < 0 {
				s.pos = len(s.code)
				return
			}
			s.newline = s.newline || lineLength(rest[:n+4]) < n+4
			s.pos += n + 4
		case c >= utf8.RuneSelf:
			r, n := utf8.DecodeRuneInString(rest)
			if r != '\u2028' && r != '\u2029' && r != '\uFEFF' && !unicode.Is(unicode.Zs, r) {
				return
			}
			s.newline = s.newline || r == '\u2028' || r == '\u2029'
			s.pos += n
		default:
			return
		}
	}
}

// lineLength is the length of the first line of s without its end.
func lineLength(s string) int {
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\n' || c == '\r':
			return i
		case c == 0xE2 && i+2 < len(s) && s[i+1] == 0x80 && (s[i+2] == 0xA8 || s[i+2] == 0xA9):
			return i
		}
	}
	return len(s)
}

func (s *scanner) next() {
	c := s.code[s.pos]
	switch {
	case isNameByte(c) && (c < '0' || c > '9') || c == '\\':
		if end := s.nameEnd(s.pos); end > s.pos {
			s.emit(identToken, end, false)
			return
		}
		s.emit(badToken, s.pos+1, false)
	case c >= '0' && c <= '9' || c == '.' && s.pos+1 < len(s.code) && s.code[s.pos+1] >= '0' && s.code[s.pos+1] <= '9':
		s.emit(numberToken, s.numberEnd(), false)
	case c == '"' || c == '\'':
		s.quoted(c)
	case c == '`':
		s.template()
	case c == '#':
		if end := s.nameEnd(s.pos + 1); end > s.pos+1 {
			s.emit(privateToken, end, false)
			return
		}
		s.emit(badToken, s.pos+1, false)
	case c == '(' || c == '[' || c == '{':
		s.push(c)
	case c == ')' || c == ']' || c == '}':
		s.pop(c)
	case c == '/' && s.operandExpected():
		s.regexp()
	case strings.IndexByte("+-*/%=<>!&|^~?:;,.@", c) >= 0:
		s.emit(punctToken, s.pos+operatorLength(s.code[s.pos:]), false)
	default:
		s.emit(badToken, s.pos+1, false)
	}
}

// operatorLength knows the operators that must not be taken apart; the others come as single characters.
func operatorLength(s string) int {
	for _, op := range [...]string{"...", "=>", "++", "--", "&&", "||", "??", "=="} {
		if strings.HasPrefix(s, op) {
			return len(op)
		}
	}
	if strings.HasPrefix(s, "?.") && (len(s) == 2 || s[2] < '0' || s[2] > '9') {
		return 2
	}
	return 1
}

func isNameByte(c byte) bool {
	return c == '_' || c == '$' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c >= utf8.RuneSelf
}

func (s *scanner) nameEnd(i int) int {
	for i < len(s.code) {
		c := s.code[i]
		switch {
		case c >= utf8.RuneSelf:
			r, n := utf8.DecodeRuneInString(s.code[i:])
			if r == '\u2028' || r == '\u2029' || r == '\uFEFF' || unicode.Is(unicode.Zs, r) {
				return i
			}
			i += n
		case isNameByte(c):
			i++
		case c == '\\':
			_, n := unescapeName(s.code[i:])
			if n == 0 {
				return i
			}
			i += n
		default:
			return i
		}
	}
	return i
}

func (s *scanner) numberEnd() int {
	i := s.pos
	hex := strings.HasPrefix(s.code[i:], "0x") || strings.HasPrefix(s.code[i:], "0X")
	for i < len(s.code) {
		c := s.code[i]
		exponent := !hex && (c == '+' || c == '-') && i > s.pos && s.code[i-1]|0x20 == 'e'
		if !exponent && c != '.' && (!isNameByte(c) || c >= utf8.RuneSelf) {
			break
		}
		i++
	}
	return i
}

func (s *scanner) quoted(quote byte) {
	for i := s.pos + 1; i < len(s.code); i++ {
		switch s.code[i] {
		case quote:
			s.emit(stringToken, i+1, false)
			return
		case '\\':
			i++
			if i+1 < len(s.code) && s.code[i] == '\r' && s.code[i+1] == '\n' {
				i++
			}
		case '\n', '\r':
			s.emit(badToken, i, false)
			return
		}
	}
	s.emit(badToken, len(s.code), false)
}

// template reads a piece of a template, from a backquote or from the brace that ends an interpolation.
func (s *scanner) template() {
	for i := s.pos + 1; i < len(s.code); i++ {
		switch s.code[i] {
		case '`':
			s.emit(templateToken, i+1, false)
			return
		case '\\':
			i++
		case '$':
			if i+1 < len(s.code) && s.code[i+1] == '{' {
				s.emit(templateToken, i+2, false)
				s.open = append(s.open, bracket{char: '$'})
				return
			}
		}
	}
	s.emit(badToken, len(s.code), false)
}

func (s *scanner) regexp() {
	inClass := false
	for i := s.pos + 1; i < len(s.code); i++ {
		switch c := s.code[i]; {
		case c == '\n' || c == '\r':
			s.emit(punctToken, s.pos+1, false)
			return
		case c == '\\':
			i++
		case c == '[':
			inClass = true
		case c == ']':
			inClass = false
		case c == '/' && !inClass:
			s.emit(regexpToken, s.nameEnd(i+1), false)
			return
		}
	}
	s.emit(punctToken, s.pos+1, false)
}

func (s *scanner) push(c byte) {
	block := false
	switch c {
	case '(':
		if p, ok := s.previous(0); ok && p.kind == identToken && !s.isMember(0) {
			switch p.text(s.code) {
			case "if", "while", "for", "with":
				block = true
			case "await": // for await (
				q, ok := s.previous(1)
				block = ok && q.is(s.code, "for")
			}
		}
	case '{':
		block = s.braceIsBlock()
	}
	s.open = append(s.open, bracket{c, block})
	s.opened[c]++
	s.emit(punctToken, s.pos+1, block)
}

// pop closes the innermost bracket that c can close. Brackets left open inside it are dropped: the text is broken anyway.
func (s *scanner) pop(c byte) {
	want := byte('(')
	switch c {
	case ']':
		want = '['
	case '}':
		want = '{'
	}
	if c == '}' && len(s.open) > 0 && s.open[len(s.open)-1].char == '$' {
		s.open = s.open[:len(s.open)-1]
		s.template()
		return
	}
	block := false
	if s.opened[want] == 0 {
		s.breakout = true
		s.emit(punctToken, s.pos+1, true)
		return
	}
	for {
		top := s.open[len(s.open)-1]
		s.open = s.open[:len(s.open)-1]
		s.opened[top.char]--
		if top.char == want {
			block = top.block
			break
		}
	}
	s.emit(punctToken, s.pos+1, block)
}

// previous gives the token n places before the last one.
func (s *scanner) previous(n int) (token, bool) {
	if i := len(s.tokens) - 1 - n; i >= 0 {
		return s.tokens[i], true
	}
	return token{}, false
}

// isMember says whether the token n places before the last one is a name after a dot.
func (s *scanner) isMember(n int) bool {
	p, ok := s.previous(n + 1)
	return ok && (p.is(s.code, ".") || p.is(s.code, "?."))
}

// operandKeywords are the keywords after which an expression starts.
var operandKeywords = wordSet("return typeof case do else in instanceof new void delete throw await yield of default extends")

// operandExpected says whether an operand starts after the tokens so far; else it is an operator.
func (s *scanner) operandExpected() bool {
	p, ok := s.previous(0)
	if !ok {
		return true
	}
	switch p.kind {
	case identToken:
		return operandKeywords[p.text(s.code)] && !s.isMember(0)
	case templateToken:
		return s.code[p.end-1] == '{'
	case punctToken:
		switch p.text(s.code) {
		case ")", "}":
			return p.block
		case "]", "++", "--":
			return false
		}
		return true
	}
	return false
}

func (s *scanner) braceIsBlock() bool {
	p, ok := s.previous(0)
	if !ok || !s.operandExpected() {
		return true // after a name, a closing parenthesis: the body of a function or class
	}
	switch p.text(s.code) {
	case ";", "{", "}", ")", "=>", "else", "do":
		return !p.is(s.code, "{") || p.block
	case ":":
		return len(s.open) == 0 || s.open[len(s.open)-1].char == '{' && s.open[len(s.open)-1].block
	}
	return false
}

// identName resolves unicode escapes in a name.
func identName(s string) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	var b strings.Builder
	for len(s) > 0 {
		if s[0] == '\\' {
			if r, n := unescapeName(s); n > 0 {
				b.WriteRune(r)
				s = s[n:]
				continue
			}
		}
		b.WriteByte(s[0])
		s = s[1:]
	}
	return b.String()
}

// unescapeName reads one \uXXXX or \u{X…} at the start of s. A length of 0 means that there is none.
func unescapeName(s string) (rune, int) {
	if !strings.HasPrefix(s, `\u`) {
		return 0, 0
	}
	digits, n := s[2:], 6
	if strings.HasPrefix(digits, "{") {
		// Leading zeros may go on for ever; what matters is that a closing brace comes before anything else.
		end := 1
		for end < len(digits) && isHex(digits[end]) {
			end++
		}
		if end == 1 || end >= len(digits) || digits[end] != '}' {
			return 0, 0
		}
		digits, n = strings.TrimLeft(digits[1:end], "0"), end+3
		if digits == "" {
			digits = "0"
		}
	} else {
		if len(digits) < 4 {
			return 0, 0
		}
		digits = digits[:4]
	}
	v, err := strconv.ParseUint(digits, 16, 32)
	if err != nil || v > unicode.MaxRune {
		return 0, 0
	}
	return rune(v), n
}

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

func wordSet(words string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(words) {
		set[w] = true
	}
	return set
}
