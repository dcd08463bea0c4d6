// Package ordered reads JSON text into values that keep the order of keys, refuse duplicate keys and
// know the text they came from. Schemas are shown and walked in the order their author wrote, and a
// duplicate key would let two readers of one catalogue see two different tools.
package ordered

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Kind tells the JSON types apart.
type Kind uint8

// The kinds. The zero Value has kind Absent.
const (
	Absent Kind = iota
	Null
	Bool
	Number
	String
	Array
	Object
)

// MaxDepth bounds the nesting of a text, as encoding/json does.
const MaxDepth = 10_000

var (
	// ErrUTF8 is returned for text that is not valid UTF-8.
	ErrUTF8 = errors.New("not valid UTF-8")
	// ErrDuplicateKey is returned for an object that has a key twice.
	ErrDuplicateKey = errors.New("duplicate key")
	// ErrSyntax is returned for text that is no JSON value.
	ErrSyntax = errors.New("not valid JSON")
	// ErrDepth is returned for text nested more than MaxDepth levels.
	ErrDepth = fmt.Errorf("nested more than %d levels", MaxDepth)
)

// Value is one JSON value.
type Value struct {
	Kind    Kind
	True    bool     // Bool
	Str     string   // String: the decoded text
	Raw     []byte   // the text it was read from; not to be changed
	Items   []Value  // Array
	Members []Member // Object, in order
}

// Member is one key of an object and its value.
type Member struct {
	Key   string
	Value Value
}

// Get gives the member of an object with the key, or the zero Value.
func (v *Value) Get(key string) *Value {
	for i := range v.Members {
		if v.Members[i].Key == key {
			return &v.Members[i].Value
		}
	}
	return &Value{}
}

// Has reports whether an object has the key.
func (v *Value) Has(key string) bool { return v.Get(key).Kind != Absent }

// Is reports whether v is a Bool of that value.
func (v *Value) Is(b bool) bool { return v.Kind == Bool && v.True == b }

// Given reports whether v is there and not null.
func (v *Value) Given() bool { return v.Kind != Absent && v.Kind != Null }

// Error says where in a text reading stopped. Path is the chain of keys and indexes to that place.
type Error struct {
	Path []string
	Err  error
}

func (e *Error) Error() string {
	if len(e.Path) == 0 {
		return e.Err.Error()
	}
	return strings.Join(e.Path, ".") + ": " + e.Err.Error()
}

// Unwrap gives the sentinel.
func (e *Error) Unwrap() error { return e.Err }

// Parse reads the one JSON value of the text. Errors are *Error around one of the sentinels.
func Parse(data []byte) (Value, error) {
	if !utf8.Valid(data) {
		return Value{}, &Error{Err: ErrUTF8}
	}
	p := parser{data: data}
	p.space()
	v, err := p.value(0)
	if err == nil {
		p.space()
		if p.pos != len(p.data) {
			err = p.syntax("text after the value")
		}
	}
	if err != nil {
		return Value{}, err
	}
	return v, nil
}

type parser struct {
	data []byte
	pos  int
}

func (p *parser) syntax(what string) *Error {
	return &Error{Err: fmt.Errorf("%w: %s at byte %d", ErrSyntax, what, p.pos)}
}

func (p *parser) space() {
	for p.pos < len(p.data) {
		switch p.data[p.pos] {
		case ' ', '\t', '\n', '\r':
			p.pos++
		default:
			return
		}
	}
}

func (p *parser) peek() byte {
	if p.pos < len(p.data) {
		return p.data[p.pos]
	}
	return 0
}

func (p *parser) value(depth int) (Value, *Error) {
	if depth > MaxDepth {
		return Value{}, &Error{Err: ErrDepth}
	}
	start := p.pos
	v := Value{}
	var err *Error
	switch c := p.peek(); {
	case c == '{':
		v.Kind = Object
		v.Members, err = p.object(depth)
	case c == '[':
		v.Kind = Array
		v.Items, err = p.array(depth)
	case c == '"':
		v.Kind = String
		v.Str, err = p.str()
	case p.word("true"):
		v.Kind, v.True = Bool, true
	case p.word("false"):
		v.Kind = Bool
	case p.word("null"):
		v.Kind = Null
	default:
		v.Kind = Number
		err = p.number()
	}
	if err != nil {
		return Value{}, err
	}
	v.Raw = p.data[start:p.pos:p.pos]
	return v, nil
}

func (p *parser) word(w string) bool {
	if len(p.data)-p.pos < len(w) || string(p.data[p.pos:p.pos+len(w)]) != w {
		return false
	}
	p.pos += len(w)
	return true
}

func (p *parser) object(depth int) ([]Member, *Error) {
	p.pos++
	members := []Member{}
	var seen map[string]struct{}
	p.space()
	if p.peek() == '}' {
		p.pos++
		return members, nil
	}
	for {
		p.space()
		if p.peek() != '"' {
			return nil, p.syntax("no key")
		}
		key, err := p.str()
		if err != nil {
			return nil, err
		}
		if duplicate(members, &seen, key) {
			return nil, &Error{Path: []string{key}, Err: ErrDuplicateKey}
		}
		p.space()
		if p.peek() != ':' {
			return nil, p.syntax("no colon")
		}
		p.pos++
		p.space()
		v, err := p.value(depth + 1)
		if err != nil {
			return nil, inside(err, key)
		}
		members = append(members, Member{key, v})
		p.space()
		switch p.peek() {
		case ',':
			p.pos++
		case '}':
			p.pos++
			return members, nil
		default:
			return nil, p.syntax("no comma in an object")
		}
	}
}

// duplicate looks through few keys one by one, and makes a set of many.
func duplicate(members []Member, seen *map[string]struct{}, key string) bool {
	if len(members) < 12 {
		for i := range members {
			if members[i].Key == key {
				return true
			}
		}
		return false
	}
	if *seen == nil {
		*seen = make(map[string]struct{}, 4*len(members))
		for i := range members {
			(*seen)[members[i].Key] = struct{}{}
		}
	}
	if _, ok := (*seen)[key]; ok {
		return true
	}
	(*seen)[key] = struct{}{}
	return false
}

func (p *parser) array(depth int) ([]Value, *Error) {
	p.pos++
	items := []Value{}
	p.space()
	if p.peek() == ']' {
		p.pos++
		return items, nil
	}
	for {
		p.space()
		v, err := p.value(depth + 1)
		if err != nil {
			return nil, inside(err, fmt.Sprint(len(items)))
		}
		items = append(items, v)
		p.space()
		switch p.peek() {
		case ',':
			p.pos++
		case ']':
			p.pos++
			return items, nil
		default:
			return nil, p.syntax("no comma in an array")
		}
	}
}

// maxPath keeps the message of an error in a deep text short.
const maxPath = 16

func inside(err *Error, step string) *Error {
	if len(err.Path) < maxPath {
		err.Path = append([]string{step}, err.Path...)
	}
	return err
}

func (p *parser) number() *Error {
	start := p.pos
	for p.pos < len(p.data) {
		switch c := p.data[p.pos]; {
		case '0' <= c && c <= '9', c == '-', c == '+', c == '.', c == 'e', c == 'E':
			p.pos++
			continue
		}
		break
	}
	if !json.Valid(p.data[start:p.pos]) {
		p.pos = start
		return p.syntax("no value")
	}
	return nil
}

func (p *parser) str() (string, *Error) {
	start := p.pos
	p.pos++
	escaped := false
	for p.pos < len(p.data) {
		switch c := p.data[p.pos]; {
		case c == '"':
			p.pos++
			if !escaped {
				return string(p.data[start+1 : p.pos-1]), nil
			}
			return p.unescape(p.data[start+1 : p.pos-1])
		case c == '\\':
			escaped = true
			p.pos += 2
		case c < 0x20:
			return "", p.syntax("control character in a string")
		default:
			p.pos++
		}
	}
	p.pos = len(p.data)
	return "", p.syntax("string without end")
}

// unescape decodes the escapes of a string; a lone surrogate becomes U+FFFD (contract, conventions).
func (p *parser) unescape(s []byte) (string, *Error) {
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' {
			b = append(b, s[i])
			continue
		}
		i++
		switch s[i] {
		case '"', '\\', '/':
			b = append(b, s[i])
		case 'b':
			b = append(b, '\b')
		case 'f':
			b = append(b, '\f')
		case 'n':
			b = append(b, '\n')
		case 'r':
			b = append(b, '\r')
		case 't':
			b = append(b, '\t')
		case 'u':
			r, ok := hex4(s, i+1)
			if !ok {
				return "", p.syntax("bad \\u escape")
			}
			i += 4
			if utf16.IsSurrogate(r) {
				second := rune(0)
				if i+2 < len(s) && s[i+1] == '\\' && s[i+2] == 'u' {
					second, _ = hex4(s, i+3)
				}
				if r = utf16.DecodeRune(r, second); r != utf8.RuneError {
					i += 6
				}
			}
			b = utf8.AppendRune(b, r)
		default:
			return "", p.syntax("bad escape")
		}
	}
	return string(b), nil
}

func hex4(s []byte, at int) (rune, bool) {
	if at+4 > len(s) {
		return 0, false
	}
	var r rune
	for _, c := range s[at : at+4] {
		switch {
		case '0' <= c && c <= '9':
			r = r<<4 | rune(c-'0')
		case 'a' <= c && c <= 'f':
			r = r<<4 | rune(c-'a'+10)
		case 'A' <= c && c <= 'F':
			r = r<<4 | rune(c-'A'+10)
		default:
			return 0, false
		}
	}
	return r, true
}
