package conformance

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/gowebpki/jcs"
)

// A JSON value is held as nil where a key is absent, null{}, bool, float64,
// string, []any or *object. The distance between absent and null, and the order
// of keys, are part of what is judged, so encoding/json's own map is not enough.

type null struct{}

// object is a JSON object that remembers the order of its keys. A nil *object
// has no keys.
type object struct {
	keys   []string
	fields map[string]any
}

// newObject makes an object of alternating keys and values; an absent value
// leaves its key out.
func newObject(pairs ...any) *object {
	o := &object{fields: make(map[string]any, len(pairs)/2)}
	for i := 0; i+1 < len(pairs); i += 2 {
		o.set(pairs[i].(string), pairs[i+1])
	}
	return o
}

func (o *object) set(key string, v any) {
	if v == nil {
		return
	}
	if _, ok := o.fields[key]; !ok {
		o.keys = append(o.keys, key)
	}
	o.fields[key] = v
}

func (o *object) remove(key string) {
	if _, ok := o.fields[key]; ok {
		delete(o.fields, key)
		o.keys = slices.DeleteFunc(o.keys, func(k string) bool { return k == key })
	}
}

// get answers nil for a key that is absent.
func (o *object) get(key string) any {
	if o == nil {
		return nil
	}
	return o.fields[key]
}

func (o *object) has(key string) bool { return o.get(key) != nil }

func (o *object) names() []string {
	if o == nil {
		return nil
	}
	return o.keys
}

func (o *object) clone() *object {
	c := newObject()
	for _, k := range o.names() {
		c.set(k, o.fields[k])
	}
	return c
}

// sortIndexKeys puts keys that are array indices first and in rising order, as
// ECMAScript enumerates them: patterns are written against its JSON text.
func (o *object) sortIndexKeys() {
	index := func(k string) (uint32, bool) {
		n, err := strconv.ParseUint(k, 10, 32)
		ok := err == nil && n < math.MaxUint32 && strconv.FormatUint(n, 10) == k
		return uint32(n), ok
	}
	if !slices.ContainsFunc(o.keys, func(k string) bool { _, ok := index(k); return ok }) {
		return
	}
	slices.SortStableFunc(o.keys, func(a, b string) int {
		x, xok := index(a)
		y, yok := index(b)
		switch {
		case xok && yok:
			return int(int64(x) - int64(y))
		case xok:
			return -1
		case yok:
			return 1
		}
		return 0
	})
}

// decode reads one JSON value. It accepts what encoding/json accepts (so at most
// 10000 levels); of equal keys the last counts, and a lone surrogate is U+FFFD.
func decode(data []byte) (any, error) {
	// Unlike Decoder.Token, this check bounds the depth before anything recurses.
	if !json.Valid(data) {
		var discard any
		if err := json.Unmarshal(data, &discard); err != nil {
			return nil, err
		}
		return nil, errors.New("not JSON")
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	v, err := decodeNext(dec)
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return v, err
}

func decodeNext(dec *json.Decoder) (any, error) {
	t, err := dec.Token()
	if err != nil {
		return nil, err
	}
	switch t := t.(type) {
	case json.Delim:
		if t == '[' {
			return decodeArray(dec)
		}
		return decodeObject(dec)
	case json.Number:
		// Out of range is infinite, as it is to every reader that uses doubles.
		f, err := strconv.ParseFloat(string(t), 64)
		if err != nil && !errors.Is(err, strconv.ErrRange) {
			return nil, err
		}
		return f, nil
	case nil:
		return null{}, nil
	default:
		return t, nil
	}
}

func decodeArray(dec *json.Decoder) (any, error) {
	list := []any{}
	for dec.More() {
		v, err := decodeNext(dec)
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	_, err := dec.Token()
	return list, err
}

func decodeObject(dec *json.Decoder) (any, error) {
	o := newObject()
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return nil, err
		}
		v, err := decodeNext(dec)
		if err != nil {
			return nil, err
		}
		o.set(key.(string), v)
	}
	o.sortIndexKeys()
	_, err := dec.Token()
	return o, err
}

// encode writes compact JSON the way ECMAScript does: keys in their order,
// shortest numbers, only what must be escaped. An absent value is "undefined".
func encode(v any) string { return string(appendValue(nil, v)) }

func appendValue(b []byte, v any) []byte {
	switch v := v.(type) {
	case nil:
		return append(b, "undefined"...)
	case null:
		return append(b, "null"...)
	case bool:
		return strconv.AppendBool(b, v)
	case int:
		return strconv.AppendInt(b, int64(v), 10)
	case float64:
		text, err := jcs.NumberToJSON(v)
		if err != nil { // infinite
			text = "null"
		}
		return append(b, text...)
	case string:
		return appendString(b, v)
	case []any:
		b = append(b, '[')
		for i, item := range v {
			if i > 0 {
				b = append(b, ',')
			}
			if item == nil {
				item = null{}
			}
			b = appendValue(b, item)
		}
		return append(b, ']')
	case *object:
		b = append(b, '{')
		for i, k := range v.names() {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(appendString(b, k), ':')
			b = appendValue(b, v.fields[k])
		}
		return append(b, '}')
	}
	panic(fmt.Sprintf("conformance: %T is no JSON value", v))
}

func appendString(b []byte, s string) []byte {
	const escapes = "btn\vfr" // for U+0008 to U+000D; U+000B has none
	b = append(b, '"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b = append(b, '\\', byte(r))
		case r >= '\b' && r <= '\r' && r != '\v':
			b = append(b, '\\', escapes[r-'\b'])
		case r < ' ':
			b = fmt.Appendf(b, `\u%04x`, r)
		default:
			b = utf8.AppendRune(b, r)
		}
	}
	return append(b, '"')
}

// canonical is the RFC 8785 text of a value.
func canonical(v any) ([]byte, error) { return jcs.Transform(appendValue(nil, v)) }

func sha256Hex(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// isNone tells an absent or null value.
func isNone(v any) bool { return v == nil || v == any(null{}) }

// either is a unless that is absent or null.
func either(a, b any) any {
	if isNone(a) {
		return b
	}
	return a
}

// equal compares two values; keys may come in any order.
func equal(a, b any) bool {
	switch a := a.(type) {
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, equal)
	case *object:
		b, ok := b.(*object)
		if !ok || len(a.names()) != len(b.names()) {
			return false
		}
		for k, v := range a.fields {
			if w := b.get(k); w == nil || !equal(v, w) {
				return false
			}
		}
		return true
	}
	switch b.(type) {
	case []any, *object:
		return false
	}
	return a == b
}

// lookup follows a dotted path through keys and indices; "length" is that of a
// list or, in UTF-16 units, of a text. It answers nil where the path leads nowhere.
func lookup(v any, path string) any {
	for part := range strings.SplitSeq(path, ".") {
		switch x := v.(type) {
		case *object:
			v = x.get(part)
		case []any:
			v = element(x, part)
		case string:
			v = nil
			if part == "length" {
				v = float64(len(utf16.Encode([]rune(x))))
			}
		default:
			return nil
		}
	}
	return v
}

func element(list []any, part string) any {
	if part == "length" {
		return float64(len(list))
	}
	if i, err := strconv.Atoi(part); err == nil && i >= 0 && i < len(list) {
		return list[i]
	}
	return nil
}

// short shows a value in a problem, cut to a readable length.
func short(v any) string {
	if v == nil {
		return "absent"
	}
	return clip(encode(v), 220)
}

func clip(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit] + "…"
}

// plain is a value as text: a string as it is, anything else as JSON.
func plain(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	return encode(v)
}

func isInt(v any, least float64) bool {
	f, ok := v.(float64)
	return ok && f == math.Trunc(f) && !math.IsInf(f, 0) && f >= least
}

func isText(v any) bool {
	s, ok := v.(string)
	return ok && s != ""
}

func isObject(v any) bool {
	_, ok := v.(*object)
	return ok
}

func isList(v any) bool {
	_, ok := v.([]any)
	return ok
}
