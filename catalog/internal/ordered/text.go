package ordered

import (
	"bytes"
	"encoding/json"
	"strconv"
	"unicode/utf8"
)

// AppendString appends s as a JSON string: no HTML escaping, invalid bytes as U+FFFD.
func AppendString(b []byte, s string) []byte {
	const hex = "0123456789abcdef"
	b = append(b, '"')
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && size == 1 {
				b = append(append(b, s[start:i]...), "\uFFFD"...)
				start = i + 1
			}
			i += size
			continue
		}
		if c >= 0x20 && c != '"' && c != '\\' {
			i++
			continue
		}
		b = append(b, s[start:i]...)
		switch c {
		case '"', '\\':
			b = append(b, '\\', c)
		case '\n':
			b = append(b, '\\', 'n')
		case '\r':
			b = append(b, '\\', 'r')
		case '\t':
			b = append(b, '\\', 't')
		case '\b':
			b = append(b, '\\', 'b')
		case '\f':
			b = append(b, '\\', 'f')
		default:
			b = append(b, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		}
		i++
		start = i
	}
	return append(append(b, s[start:]...), '"')
}

// Quote gives s as a JSON string.
func Quote(s string) string { return string(AppendString(nil, s)) }

// Compact gives the text without white space, lone surrogate escapes made U+FFFD, everything else as
// it was written. The text must be one that Parse accepts.
func Compact(raw []byte) []byte {
	if hasSurrogateEscape(raw) {
		if v, err := Parse(raw); err == nil {
			return appendValue(nil, &v)
		}
	}
	at := outerSpace(raw, 0)
	if at == len(raw) {
		return raw
	}
	out := make([]byte, 0, len(raw))
	for from := 0; from < len(raw); {
		out = append(out, raw[from:at]...)
		for from = at; from < len(raw) && isSpace(raw[from]); from++ {
		}
		at = outerSpace(raw, from)
	}
	return out
}

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }

// outerSpace gives the place of the next white space outside strings, from a place outside strings, or
// the length of the text.
func outerSpace(raw []byte, from int) int {
	inString := false
	for i := from; i < len(raw); i++ {
		switch c := raw[i]; {
		case c == '"':
			inString = !inString
		case !inString:
			if isSpace(c) {
				return i
			}
		case c == '\\':
			i++
		}
	}
	return len(raw)
}

func hasSurrogateEscape(raw []byte) bool {
	for i := bytes.IndexByte(raw, '\\'); i >= 0; {
		if i+2 < len(raw) && raw[i+1] == 'u' && (raw[i+2] == 'd' || raw[i+2] == 'D') {
			return true
		}
		next := bytes.IndexByte(raw[min(i+2, len(raw)):], '\\')
		if next < 0 {
			return false
		}
		i = i + 2 + next
	}
	return false
}

func appendValue(b []byte, v *Value) []byte {
	switch v.Kind {
	case String:
		return AppendString(b, v.Str)
	case Array:
		b = append(b, '[')
		for i := range v.Items {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendValue(b, &v.Items[i])
		}
		return append(b, ']')
	case Object:
		b = append(b, '{')
		for i := range v.Members {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(AppendString(b, v.Members[i].Key), ':')
			b = appendValue(b, &v.Members[i].Value)
		}
		return append(b, '}')
	default:
		return append(b, v.Raw...)
	}
}

// Literal gives the value as a JavaScript program would print it: compact, strings without needless
// escapes, numbers in their shortest form. Equal values give equal text.
func Literal(v *Value) string { return string(appendLiteral(nil, v)) }

func appendLiteral(b []byte, v *Value) []byte {
	switch v.Kind {
	case Number:
		f, err := strconv.ParseFloat(string(v.Raw), 64)
		if err != nil { // out of range: Infinity in a program, and null in its JSON
			return append(b, "null"...)
		}
		if f == 0 {
			return append(b, '0')
		}
		text, err := json.Marshal(f)
		if err != nil {
			return append(b, "null"...)
		}
		return append(b, text...)
	case Array:
		b = append(b, '[')
		for i := range v.Items {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendLiteral(b, &v.Items[i])
		}
		return append(b, ']')
	case Object:
		b = append(b, '{')
		for i := range v.Members {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(AppendString(b, v.Members[i].Key), ':')
			b = appendLiteral(b, &v.Members[i].Value)
		}
		return append(b, '}')
	default:
		return appendValue(b, v)
	}
}
