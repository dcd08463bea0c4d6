package conformance

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
)

func mustDecode(t testing.TB, text string) any {
	t.Helper()
	v, err := decode([]byte(text))
	if err != nil {
		t.Fatalf("decode %s: %v", text, err)
	}
	return v
}

func mustObject(t testing.TB, text string) *object {
	t.Helper()
	return mustDecode(t, text).(*object)
}

// Patterns are written against what ECMAScript prints.
func TestEncodeWritesAsECMAScriptDoes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ in, want string }{
		{`{"b":1, "a":[ ]}`, `{"b":1,"a":[]}`},
		{`{"b":0,"10":1,"9":2,"01":3,"4294967295":4,"4294967294":5}`, `{"9":2,"10":1,"4294967294":5,"b":0,"01":3,"4294967295":4}`},
		{`{"a":1,"b":2,"a":3}`, `{"a":3,"b":2}`},
		{`[1.0,-0,1e21,1e-7,123456789012345680000,0.1,1e999]`, `[1,0,1e+21,1e-7,123456789012345680000,0.1,null]`},
		{`"<\/>&\u2028\u00e9\b\t\n\u000b\f\r\u0000\u001f\u007f\"\\"`, "\"</>&\u2028é\\b\\t\\n\\u000b\\f\\r\\u0000\\u001f\u007f\\\"\\\\\""},
		{`"\ud83d\ude00\ud800"`, "\"😀\uFFFD\""},
		{` null`, `null`}, {`[true,false,null]`, `[true,false,null]`},
	} {
		if got := encode(mustDecode(t, c.in)); got != c.want {
			t.Errorf("%s: got %s, want %s", c.in, got, c.want)
		}
	}
	if got := encode(nil); got != "undefined" {
		t.Errorf("absent: got %s", got)
	}
}

func TestDecodeRefuses(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "{", `{"a":1}x`, "01", "[1,]", "\"\x01\"", strings.Repeat("[", 20000) + strings.Repeat("]", 20000)} {
		if v, err := decode([]byte(text)); err == nil {
			t.Errorf("%.20q: got %s, want an error", text, short(v))
		}
	}
}

func TestEqual(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{`{"a":1,"b":[2]}`, `{"b":[2],"a":1.0}`, true},
		{`{"a":1}`, `{"a":1,"b":null}`, false}, {`{"a":null}`, `{"b":null}`, false},
		{`[1,2]`, `[2,1]`, false}, {`[1]`, `[1,2]`, false}, {`[]`, `{}`, false}, {`{}`, `[]`, false},
		{`"1"`, `1`, false}, {`null`, `false`, false}, {`0`, `-0`, true}, {`null`, `null`, true}, {`1`, `[1]`, false},
	} {
		if got := equal(mustDecode(t, c.a), mustDecode(t, c.b)); got != c.want {
			t.Errorf("%s and %s: got %v", c.a, c.b, got)
		}
	}
	if equal(nil, null{}) || equal(null{}, nil) {
		t.Error("absent is not null")
	}
}

func TestLookup(t *testing.T) {
	t.Parallel()
	v := mustDecode(t, `{"a":{"b":[1,{"c":"x😀"}]},"n":null}`)
	for _, c := range []struct{ path, want string }{
		{"a.b.0", "1"}, {"a.b.1.c", `"x😀"`}, {"a.b.1.c.length", "3"}, {"a.b.length", "2"},
		{"a.b.2", "absent"}, {"a.b.-1", "absent"}, {"a.x.y", "absent"}, {"n.x", "absent"}, {"n", "null"}, {"a.b.0.x", "absent"}, {"a.b.1.c.0", "absent"},
	} {
		if got := short(lookup(v, c.path)); got != c.want {
			t.Errorf("%s: got %s, want %s", c.path, got, c.want)
		}
	}
}

func TestClipKeepsRunesWhole(t *testing.T) {
	t.Parallel()
	if got := clip("aéé", 2); got != "a…" {
		t.Errorf("got %q", got)
	}
}

// The expected digest is that of the text in the comment, made with sha256sum.
func TestCallHash(t *testing.T) {
	t.Parallel()
	// ["callValue","openclaw:core:echo",{"n":1}]
	got, err := callHash("callValue", "openclaw:core:echo", mustDecode(t, `{"n":1.0}`))
	if err != nil || got != "87834897" {
		t.Errorf("got %s, %v", got, err)
	}
}

func FuzzDecode(f *testing.F) {
	for _, s := range []string{`{"a":[1,-0,1e400,null,true,"\ud800\u0000"],"2":{},"1":[]}`, `[`, `"x`, `{"a":1,"a":2}`, "\"\xff\""} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		v, err := decode(data)
		if (err == nil) != json.Valid(data) {
			t.Fatalf("decode says %v, encoding/json %v", err, json.Valid(data))
		}
		if err != nil {
			return
		}
		text := encode(v)
		again, err := decode([]byte(text))
		if err != nil {
			t.Fatalf("encode wrote %q: %v", text, err)
		}
		if encode(again) != text {
			t.Fatalf("%q is not stable: %q", text, encode(again))
		}
		if !hasInfinite(v) && !equal(v, again) {
			t.Fatalf("%q changed to %q", data, text)
		}
		if _, err := canonical(v); err != nil {
			t.Fatalf("no canonical form of %q: %v", text, err)
		}
	})
}

func hasInfinite(v any) bool {
	switch v := v.(type) {
	case float64:
		return math.IsInf(v, 0)
	case []any:
		for _, x := range v {
			if hasInfinite(x) {
				return true
			}
		}
	case *object:
		for _, k := range v.names() {
			if hasInfinite(v.get(k)) {
				return true
			}
		}
	}
	return false
}

func BenchmarkDecodeAndHash(b *testing.B) {
	text := []byte(`[` + strings.Repeat(`{"name":"tool","n":1.5,"list":[1,2,3],"text":"é\n"},`, 1000) + `null]`)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		v, err := decode(text)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := callHash("callValue", "t", v); err != nil {
			b.Fatal(err)
		}
	}
}
